import { expect, test } from "vitest";
import type { History } from "../../../src/core/probe/observation.ts";
import { isSettled } from "../../../src/core/state/earlier-runs.ts";
import { answersAfter, verdictOn } from "../../../src/core/state/reference.ts";
import { answersKept, type Reference } from "../../../src/core/state/content-schema.ts";

const [main, other] = ["refs/heads/main", "refs/heads/other"];
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
  const histories = [
    said("x", { past: true }),
    said("y", { past: false }),
    said("z", { contains: [full("b")] }),
  ];
  const answers = histories.reduce<Reference["answers"]>(
    (before, history) => answersAfter(at("b", before), history),
    undefined,
  );
  const verdicts = (of: Reference["answers"]) => of?.map(([, id, verdict]) => id.charAt(0) + verdict);
  expect(verdicts(answers)).toEqual(["xpast", "yapart", "znewer"]);
  expect(verdicts(answersAfter(at("b", answers)))).toEqual(["xpast", "yapart", "znewer"]);
  expect(verdicts(answersAfter(at("c", answers)))).toEqual(["xpast"]);
  expect(verdicts(answersAfter(at("b", answers), said("y", { past: true })))).toEqual([
    "xpast",
    "znewer",
    "ypast",
  ]);
});

test("answers about other branches are of their tips, and the newest 64 are kept", () => {
  expect(answersAfter(at("b"), said("x", { past: false }, other))).toEqual([
    [other, kept("x"), "apart", kept("o")],
  ]);
  expect(answersAfter(at("b"), said("x", { past: false }, "refs/heads/none")) ?? []).toEqual([]);
  const ids = Array.from({ length: 80 }, (_, index) => `${index}`.padStart(10, "0").padEnd(40, "0"));
  const all = answersAfter(at("b"), { [main]: Object.fromEntries(ids.map((id) => [id, { past: true }])) });
  expect(all).toHaveLength(answersKept);
  expect(all?.at(-1)?.[1]).toBe(ids.at(-1)?.slice(0, 10));
});

test.each<[string, string, string, string, boolean]>([
  ["a former version", main, "a", "b", true],
  ["a foreign commit", main, "y", "b", false],
  ["a former version, on another branch", other, "a", "o", false],
  ["a past commit", main, "p", "c", true],
  ["a commit that was apart from this tip", main, "q", "b", true],
  ["a commit that was apart from an earlier tip", main, "q", "c", false],
  ["what another branch left", other, "m", "o", true],
  ["what another branch moved to", other, "n", "o", true],
  ["what another branch left, on the main branch", main, "m", "b", false],
])("of %s nothing needs to be asked: %s %s at %s: %s", (_, name, id, tip, settled) => {
  const reference: Reference = {
    ...at("b", [
      [main, kept("p"), "past", kept("b")],
      [main, kept("q"), "apart", kept("b")],
    ]),
    moves: [[5, other, kept("m"), kept("n")]],
  };
  expect(isSettled(reference, name, full(id), full(tip))).toBe(settled);
});
