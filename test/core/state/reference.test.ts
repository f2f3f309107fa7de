import { describe, expect, test } from "vitest";
import type { History } from "../../../src/core/probe/observation.ts";
import type { RefSet } from "../../../src/core/probe/ref-set.ts";
import { leadOfMost, leadOfPrimary } from "../../../src/core/state/lead.ts";
import { answersAfter, type Lead, moveReference, verdictOn } from "../../../src/core/state/reference.ts";
import type { Reference } from "../../../src/core/state/content-schema.ts";
import { answersKept, movesKept, versionsKept } from "../../../src/core/state/content-schema.ts";
import type { Shown } from "../../../src/core/state/shown.ts";

/** Ids of ten letters, as the state keeps them. */
function id(letter: string): string {
  return letter.repeat(10);
}

function setOf(names: Readonly<Record<string, string>>): RefSet {
  return new Map(Object.entries(names).map(([name, letter]) => [name, id(letter)]));
}

/** What a reference shows: the value of its branch, and its other refs. */
function lead(
  main: string | undefined,
  refs?: Readonly<Record<string, string>>,
  more: Partial<Lead> = {},
): Lead {
  const set = refs && setOf({ ...refs, ...(main !== undefined && { "refs/heads/main": main }) });
  const usual = { branch: "main", hasTooMany: false, date: undefined, index: undefined };
  return { ...usual, main: main && id(main), refs: set, ...more };
}

/** Returns the reference after runs at 10, 20, …. */
function after(...leads: readonly Lead[]): Reference {
  let last: Reference | undefined;
  for (const [index, one] of leads.entries()) last = moveReference(last, one, (index + 1) * 10, "x");
  if (last === undefined) throw new Error("There is a run.");
  return last;
}

const [tag, other, main] = ["refs/tags/v1", "refs/heads/other", "refs/heads/main"];

describe("what leads a target", () => {
  const shown = (letter: string | undefined, refs?: Readonly<Record<string, string>>): Shown => ({
    ...{ revision: letter && id(letter), branch: "main", hasTooMany: false, lists: () => true },
    refs: refs && setOf({ ...refs, ...(letter !== undefined && { HEAD: letter, [main]: letter }) }),
    ...{ date: undefined, index: undefined },
  });
  const of = (primary: number | undefined, mirrors: readonly (Shown | undefined)[], known?: Reference) => {
    const seen = mirrors.filter((one) => one !== undefined);
    const found = primary === undefined ? leadOfMost(seen, mirrors.length, known) : leadOfPrimary(mirrors[0]);
    const { HEAD: _, [main]: _main, ...refs } = Object.fromEntries(found?.refs ?? []);
    const ids = Object.entries(refs).map(([name, value]) => name + value.charAt(0));
    return found && [found.main?.charAt(0), ...ids.sort()].join(" ");
  };
  const [a, b, both] = [shown("a", {}), shown("b", {}), shown("a", { [tag]: "1", [other]: "1" })];

  test.each<[string, number | undefined, readonly (Shown | undefined)[], string | undefined]>([
    ["is the primary, whatever the others show", 1, [a, b, b], "a"],
    ["is the primary even without commits", 1, [shown(undefined, { [tag]: "1" }), b, b], " refs/tags/v11"],
    ["is nothing if the primary did not answer", 1, [undefined, b, b], undefined],
    ["is nothing if the primary shows nothing", 1, [shown(undefined), b, b], undefined],
    ["is what more than half share", undefined, [a, b, b], "b"],
    ["is nothing if no more than half share anything", undefined, [a, a, b, b], undefined],
    ["is nothing if too few of all mirrors answered", undefined, [a, undefined, undefined], undefined],
    ["is each ref that most share", undefined, [both, both, b], "a refs/heads/other1 refs/tags/v11"],
    ["is only a branch if most refs are unread", undefined, [both, shown("a"), shown("a")], "a"],
  ])("%s", (_, primary, mirrors, found) => {
    expect(of(primary, mirrors)).toBe(found);
  });

  test("is the former value of a ref without a majority", () => {
    const known = after(lead("a", { [tag]: "1", [other]: "1" }));
    const tags = ["1", "2", "3"].map((value) => shown("a", { [tag]: value, [other]: value }));
    expect(of(undefined, tags, known)).toBe("a refs/heads/other1 refs/tags/v11");
    expect(of(undefined, [...tags.slice(0, 1), a, a], known)).toBe("a");
  });

  test("is the branch of the known reference, read by name, while HEADs disagree", () => {
    const known = after(lead("a", {}));
    const on = (branch: string): Shown => ({ ...shown("b", { [main]: "a" }), branch, revision: id("c") });
    const mirrors = [on("x"), on("y"), on("z")].map((one) => ({ ...one, refs: setOf({ [main]: "a" }) }));
    expect(of(undefined, mirrors, known)).toBe("a");
  });
});

describe("the versions of a reference", () => {
  test("begin with the first run, and grow only when it moves", () => {
    const { versions } = after(lead("a"), lead("a"), lead("b"), lead("b"));
    const known = Object.fromEntries(versions.map(({ value, since }) => [since, value]));
    expect(known).toEqual({ 10: id("a"), 30: id("b") });
  });

  test("are thinned, but for the oldest and the two newest", () => {
    const values = Array.from({ length: 500 }, (_, index) => `${index}`);
    const runs = values.map((value) => ({ ...lead("a"), main: value }));
    for (const count of [versionsKept, versionsKept + 1, 500]) {
      const kept = after(...runs.slice(0, count)).versions.map(({ value }) => Number(value));
      expect(kept).toHaveLength(versionsKept);
      expect([kept[0], ...kept.slice(-2)]).toEqual([0, count - 2, count - 1]);
      // No gap is larger than a third of its age.
      const gaps = kept
        .slice(0, -1)
        .map((value, index) => ((kept[index + 1] ?? 0) - value) / (count - value));
      expect(Math.max(...gaps.slice(0, -3))).toBeLessThan(1 / 3);
    }
  });

  test("describe eight indexes, and the files of the newest one", () => {
    const index = { size: 5, files: [{ path: "a/b", size: 7 }] };
    const { versions } = after(...Array.from("abcdefghij", (letter) => lead(letter, {}, { index })));
    const described = [undefined, undefined, ...Array(7).fill({ size: 5 }), index];
    expect(versions.map((one) => one.index)).toEqual(described);
    expect(after(lead("a", {}, { index }), lead("a")).versions[0]?.index).toEqual(index);
  });
});

describe("the refs of a reference", () => {
  const first = lead("a", { [tag]: "1", [other]: "1" });
  const mainToo = setOf({ [other]: "1", [main]: "b" });
  const tagLeft = [20, tag, id("1"), ""];
  const mainLeft = [20, main, id("a"), id("b")];

  test.each<[string, readonly Lead[], object]>([
    ["are kept with the time from which they are known", [first], { known_from: 10 }],
    ["leave no move while they stand", [first, first], { moves: [], known_from: 10 }],
    [
      "leave moves when they change, appear or vanish, but not the branch, which has versions",
      [first, lead("b", { [other]: "2", more: "1" })],
      {
        moves: [tagLeft, [20, other, id("1"), id("2")], [20, "more", "", id("1")]],
        rewritten: [tagLeft],
      },
    ],
    ["stay if they were not read", [first, lead("b")], { refs: { [tag]: id("1") }, known_from: 10 }],
    ["are known from the run that read them first", [lead("a"), lead("a"), first], { known_from: 30 }],
    [
      "of a branch that HEAD names no longer have its versions as moves",
      [first, lead("b", { [other]: "1" }), lead("1", {}, { branch: "other", refs: mainToo })],
      { branch: "other", versions: [{ value: id("1"), since: 10 }], moves: [tagLeft, mainLeft] },
    ],
    [
      "of a new branch that HEAD names begin now",
      [first, lead("c", {}, { branch: "new", refs: setOf({ "refs/heads/new": "c" }) })],
      { branch: "new", versions: [{ value: id("c"), since: 20 }] },
    ],
  ])("%s", (_, runs, wanted) => {
    expect(after(...runs)).toMatchObject(wanted);
  });

  test("start over with another primary or other patterns, which keeps the tags that were rewritten", () => {
    const moved = after(first, lead("a", { [other]: "1" }));
    const next = moveReference(moved, lead("a", { [tag]: "3" }), 30, "y");
    expect(next).toMatchObject({ known_from: 30, refs_of: "y", rewritten: [tagLeft] });
    expect(next.moves).toBeUndefined();
  });

  test("have the newest moves, and are known from the newest that was dropped", () => {
    const runs = Array.from({ length: movesKept + 9 }, (_, index) => lead("a", { [other]: `${index % 2}` }));
    const reference = after(...runs);
    expect(reference.moves).toHaveLength(movesKept);
    // The first run made no move, so eight are dropped. The last of them was in the ninth run.
    expect([reference.known_from, reference.moves?.[0]?.[0]]).toEqual([90, 100]);
  });
});

const full = (letter: string): string => letter.repeat(40);
const kept = (letter: string): string => letter.repeat(10);

/** A reference whose branch is at `tip`, and whose other branch is at `o`. */
function at(tip: string, answers?: Reference["answers"]): Reference {
  const versions = ["a", tip].map((letter, since) => ({ value: full(letter), since }));
  return { branch: "main", versions, refs: { [other]: kept("o") }, answers };
}

function said(letter: string, own: History[string][string][string], name = main): History[string] {
  return { [name]: { [full(letter)]: own } };
}

test.each<[string, History[string], string | undefined]>([
  ["is past", said("x", { past: true }), "past"],
  ["is past, even if it also seems newer", said("x", { past: true, contains: [full("b")] }), "past"],
  ["is newer", said("x", { past: false, contains: [full("a"), full("b")] }), "newer"],
  ["is newer, though the reference was not asked", said("x", { contains: [full("b")] }), "newer"],
  ["is apart", said("x", { past: false, contains: [full("a")] }), "apart"],
  ["is apart, though it was not asked itself", said("x", { past: false }), "apart"],
  ["is unknown if the reference was not asked", said("x", { contains: [full("a")] }), undefined],
  ["is unknown without an answer", {}, undefined],
  ["is unknown if another branch was asked", said("x", { past: true }, other), undefined],
])("a commit %s", (_, history, verdict) => {
  const answers = answersAfter(at("b"), history);
  expect(verdictOn(at("b", answers), main, full("x"))).toBe(verdict);
});

test("past stays true when the reference moves on, and all else is asked again", () => {
  const newer = { contains: [full("b")] };
  let answers: Reference["answers"];
  for (const history of [said("x", { past: true }), said("y", { past: false }), said("z", newer)])
    answers = answersAfter(at("b", answers), history);
  const verdicts = (of: Reference["answers"]) => of?.map(([, id, verdict]) => id.charAt(0) + verdict);
  expect(verdicts(answers)).toEqual(["xpast", "yapart", "znewer"]);
  expect(verdicts(answersAfter(at("b", answers)))).toEqual(["xpast", "yapart", "znewer"]);
  expect(verdicts(answersAfter(at("c", answers)))).toEqual(["xpast"]);
  const again = answersAfter(at("b", answers), said("y", { past: true }));
  expect(verdicts(again)).toEqual(["xpast", "znewer", "ypast"]);
});

test("answers about other branches are of their tips, and the newest 64 are kept", () => {
  const found = answersAfter(at("b"), said("x", { past: false }, other));
  expect(found).toEqual([[other, kept("x"), "apart", kept("o")]]);
  expect(answersAfter(at("b"), said("x", { past: false }, "refs/heads/none")) ?? []).toEqual([]);
  const ids = Array.from({ length: 80 }, (_, index) => `${index}`.padStart(10, "0").padEnd(40, "0"));
  const all = answersAfter(at("b"), { [main]: Object.fromEntries(ids.map((id) => [id, { past: true }])) });
  expect(all).toHaveLength(answersKept);
  expect(all?.at(-1)?.[1]).toBe(ids.at(-1)?.slice(0, 10));
});
