import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatState, parseState } from "../../src/state/document.ts";
import type { NodeContent, Reference, State } from "../../src/state/schema.ts";
import { freshnessOf, rememberContent } from "../../src/state/freshness.ts";
import { moveReference, referenceTip, type Tip } from "../../src/state/reference.ts";
import { networkAt, projectConfig, type Seen, stateAfter, vantageOf } from "../support/rounds.ts";
import { trials } from "../support/trials.ts";

const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];
const tip = (id: number, revision: string, branch = "main") => ({ id, revision, branch });

const [inSync, unknown, differs] = ["in_sync", "unknown", "differs"].map((state) => ({ state })) as [
  object,
  object,
  object,
];

function behind(behindSince: number, lagMs?: number): object {
  return { state: "behind", behindSince, ...(lagMs !== undefined && { lagMs }) };
}

function history(...revisions: readonly string[]): Reference {
  const moved = revisions.reduce<Reference | undefined>(
    (reference, revision, index) => moveReference(reference, tip(1, revision), (index + 1) * 1000, "primary"),
    undefined,
  );
  if (moved === undefined) throw new Error("a history has a revision");
  return moved;
}

describe("the reference of a target", () => {
  test.each<[string, readonly Tip[], number | undefined, number, string | undefined]>([
    ["is the primary, whatever the others say", [tip(1, a), tip(2, b), tip(3, b)], 1, 3, a],
    ["is none where the primary shows nothing", [tip(2, b), tip(3, b)], 1, 3, undefined],
    ["is what a strict majority shares", [tip(1, a), tip(2, b), tip(3, b)], undefined, 3, b],
    ["is none at a half", [tip(1, a), tip(2, a), tip(3, b), tip(4, b)], undefined, 4, undefined],
    ["counts those that show nothing among all", [tip(1, a)], undefined, 2, undefined],
    ["is none of two that differ", [tip(1, a), tip(2, b)], undefined, 2, undefined],
    ["counts branches apart", [tip(1, a), tip(2, a, "trunk"), tip(3, b)], undefined, 3, undefined],
  ])("%s", (_, tips, primary, nodes, revision) => {
    expect(referenceTip(tips, primary, nodes)?.revision).toBe(revision);
  });
});

describe("a mirror", () => {
  test.each<[string, Reference | undefined, NodeContent | undefined, object]>([
    ["with the reference's revision is in sync", history(a, b), tip(2, b), inSync],
    [
      "with one it had before is behind since the reference left it",
      history(a, b, c),
      tip(2, a),
      behind(2000),
    ],
    ["is behind since the last time the reference left it", history(a, b, a, c), tip(2, a), behind(4000)],
    ["is in sync again after a force-push back", history(a, b, a), tip(2, a), inSync],
    [
      "with one the reference never had is unknown: it may be old or ahead",
      history(a, b),
      tip(2, c),
      unknown,
    ],
    ["of which it is known differs", history(a, b), { ...tip(2, c), differs: true }, differs],
    [
      "of which it is known is behind since the reference left it",
      history(b, c),
      { ...tip(2, a), behind_since: 500 },
      behind(500),
    ],
    [
      "is in sync with what the reference has, whatever was known before",
      history(a, b),
      { ...tip(2, b), behind_since: 500, differs: true },
      inSync,
    ],
    [
      "that is ahead of a reference which was set back is not behind",
      { ...history(a, b), contents: { [a.slice(0, 16)]: { at: 500 }, [b.slice(0, 16)]: { at: 100 } } },
      { ...tip(2, c), content_at: 300 },
      unknown,
    ],
    ["on another branch is unknown", history(a), tip(2, a, "trunk"), unknown],
    ["without a revision is unknown", history(a), undefined, unknown],
    ["without a reference is unknown", undefined, tip(2, a), unknown],
  ])("%s", (_, reference, seen, freshness) => {
    expect(freshnessOf(seen, reference)).toEqual(freshness);
  });
});

describe("content whose time is known", () => {
  const [past, present, apart] = [a, b, c].map((one) => one.slice(0, 16)) as [string, string, string];
  /**
   * Returns a reference with contents that were made at these times. The runs that first saw them were at 1000, 2000,
   * ….
   */
  const made = (...times: readonly (number | undefined)[]): Reference => {
    const revisions = times.map((_, index): [string, number] => [`r${index}`, (index + 1) * 1000]);
    const contents = Object.fromEntries(times.map((at, index) => [`r${index}`, { at }]));
    return { branch: "", revisions, contents };
  };

  test.each<[string, Reference, NodeContent, object]>([
    [
      "is behind since the reference first had newer content",
      made(100, 200, 300),
      { content_at: 150 },
      behind(2000, 150),
    ],
    [
      "is behind since the second run if the first had content of its time",
      made(100, 200, 300),
      { content_at: 100 },
      behind(2000, 200),
    ],
    ["is not behind with content of the newest time", made(100, 500, 300), { content_at: 300 }, unknown],
    ["is not behind with newer content", made(100, 200), { content_at: 201 }, unknown],
    ["is unknown if its own time is not known", made(100, 200), {}, unknown],
    [
      "is behind an older revision if the time of the newest is not known, without a lag",
      made(100, 200, undefined),
      { content_at: 150 },
      behind(2000),
    ],
    ["is unknown if no time of the reference is", made(undefined), { content_at: 150 }, unknown],
    [
      "that no run compares with times is behind since the run that remembers it",
      { ...made(100), contents: undefined },
      { content_at: 50, behind_since: 700 },
      behind(700),
    ],
    [
      "of a revision that the reference had has a lag too",
      {
        branch: "",
        revisions: [
          ["r0", 1000],
          ["r1", 2000],
        ],
        contents: { r1: { at: 300 } },
      },
      { revision: "r0", content_at: 100 },
      behind(2000, 200),
    ],
    [
      "of a revision that the reference had has no lag if it is not older",
      {
        branch: "",
        revisions: [
          ["r0", 1000],
          ["r1", 2000],
        ],
        contents: { r1: { at: 300 } },
      },
      { revision: "r0", content_at: 300 },
      behind(2000),
    ],
  ])("%s", (_, reference, content, freshness) => {
    expect(freshnessOf({ revision: "unseen", ...content }, reference)).toEqual(freshness);
  });

  test.each([
    ["missing_file", "differs"],
    ["wrong_size", "differs"],
    ["half_synced", "differs"],
    ["expired", "in_sync"],
    [undefined, "in_sync"],
  ])("of the reference's revision with the problem %s is %s", (content_code, state) => {
    expect(freshnessOf({ ...tip(2, b), content_code }, history(a, b))).toEqual({ state });
  });

  test("is compared by its refs if both have them, unless HEAD moved after the refs were read", () => {
    const sets = [past, present].map((one, index): [string, number] => [one, (index + 5) * 1000]);
    const reference = { ...history(a, b), sets };
    const of = (revision: string | undefined, refs: string | undefined) =>
      freshnessOf({ revision, branch: "main", refs }, reference);
    expect(of(b, present)).toEqual(inSync);
    expect(of(b, past)).toEqual(behind(6000));
    expect(of(b, apart)).toEqual(unknown);
    expect(of(a, present)).toEqual(behind(2000));
    expect(of(undefined, present)).toEqual(inSync);
    expect(of(undefined, undefined)).toEqual(unknown);
    expect(of(b, undefined)).toEqual(inSync);
    expect(freshnessOf({ ...tip(2, b), refs: past }, { ...reference, sets: [] })).toEqual(inSync);
    expect(freshnessOf({ ...tip(2, b), refs: past }, history(a, b))).toEqual(inSync);
  });
});

describe("what is remembered of a mirror that is not equal to its reference", () => {
  const day = 86_400_000;
  const reference = history(a, b);
  const moved = { before: reference, after: reference, seen: { revision: true, refs: true } };
  const never = { since: undefined, missingSince: undefined, heldSince: undefined, isExact: false };
  const stood = (since: number) => ({ ...never, since });
  const exact = { ...never, isExact: true };
  const unseen = { ...moved, seen: { revision: false, refs: false } };
  const away = tip(2, c);
  const since9 = { apart_since: 9 * day };
  const apart = { ...away, apart_since: 7, differs: true as const };

  test.each<[string, NodeContent | undefined, NodeContent, object, object, object]>([
    ["nothing if it is behind", undefined, tip(2, a), {}, stood(0), {}],
    ["nothing if it is in sync", undefined, tip(2, b), {}, stood(0), {}],
    ["nothing on another branch", undefined, tip(2, c, "trunk"), {}, stood(0), {}],
    ["nothing without a reference", undefined, away, { after: undefined }, stood(0), {}],
    ["that it differs after a day", undefined, away, {}, stood(8 * day), { ...since9, differs: true }],
    ["not a millisecond earlier", undefined, away, {}, stood(8 * day + 1), since9],
    ["not if it is not known since when", undefined, away, {}, never, since9],
    ["not if the reference was not seen", undefined, away, unseen, stood(0), since9],
    ["that it differs while it stands still", apart, away, unseen, never, { apart_since: 7, differs: true }],
    ["the same if its refs are known", apart, away, unseen, exact, { apart_since: 7, differs: true }],
    ["not if its refs say otherwise", apart, away, {}, exact, { apart_since: 7 }],
    ["not if it moved", { ...apart, revision: a.slice(1) }, away, unseen, never, { apart_since: 7 }],
    ["not if it did not", { ...apart, differs: undefined }, away, unseen, never, { apart_since: 7 }],
    ["when the reference left it", away, away, { before: history(c) }, stood(0), { behind_since: 9 * day }],
    ["when it was left before", away, away, { before: history(c, b) }, stood(0), { behind_since: 2000 }],
    [
      "not if its refs are of something else now",
      away,
      away,
      { before: history(c), after: { ...reference, refs_of: "other" } },
      never,
      since9,
    ],
    ["the time anew if it moved from what was before", { ...apart, revision: a }, away, {}, never, since9],
    ["the time anew if it moved from the newest", { ...apart, revision: b }, away, {}, never, since9],
  ])("is %s", (_, before, now, move, standing, remembered) => {
    const kept = rememberContent(before, now, { ...moved, ...move }, { ...never, ...standing }, 9 * day);
    expect(kept).toEqual(remembered);
  });

  test("counts only differences that prove something, until the mirror has been apart for a day", () => {
    const young = { since: 0, missingSince: 8 * day, heldSince: 9 * day, isExact: true };
    const of = (before: NodeContent, more: object = {}) =>
      rememberContent(before, tip(2, c), moved, { ...young, ...more }, 9 * day).differs;
    // The mirror was in sync, so only missing refs count.
    expect(of(tip(2, b))).toBe(true);
    expect(of(tip(2, b), { missingSince: 8 * day + 1 })).toBeUndefined();
    // The mirror was behind, so missing and different refs count, but extra ones do not.
    expect(of(tip(2, a))).toBeUndefined();
    expect(of(tip(2, a), { heldSince: 8 * day })).toBe(true);
    // The mirror has differed from the reference for a day, so any difference counts.
    expect(of({ ...tip(2, "d".repeat(40)), apart_since: 8 * day })).toBe(true);
    expect(of({ ...tip(2, "d".repeat(40)), apart_since: 8 * day + 1 })).toBeUndefined();
  });
});

describe("the history of a reference", () => {
  test("grows only when it moves, and keeps eight", () => {
    expect(history(a, a, a).revisions).toHaveLength(1);
    const long = history(
      ...Array.from({ length: 40 }, (_, index) => index.toString(16).padStart(2, "0").repeat(20)),
    );
    expect(long.revisions).toHaveLength(8);
    expect(long.revisions.at(-1)).toEqual(["27".repeat(8), 40_000]);
  });
});

describe("a mirror over many runs", () => {
  const network = networkAt(["https://a.example.org/x", "https://b.example.org/x"]);
  const config = projectConfig([{ target: "t", primary: 1, network }]);
  const start = Date.parse("2026-03-01T00:00:00Z");
  const minute = 60_000;

  /** Plays runs in which the primary and the mirror have these revisions. A mirror without a revision is down. */
  function play(
    runs: readonly (readonly [primary: number | undefined, mirror: number | undefined])[],
    minutes = 1,
  ): State[] {
    const seen = (number: number | undefined): Seen =>
      number === undefined
        ? "timeout"
        : { revision: number.toString(16).padStart(40, "0").slice(-16).padEnd(40, "0"), branch: "main" };
    const states: State[] = [];
    for (const [index, [primary, mirror]] of runs.entries()) {
      const before = states.at(-1);
      const at = start + index * minutes * minute;
      const vantages = [vantageOf("default", [seen(primary), seen(mirror)], ["ok"])];
      const stored = before && parseState(formatState(before), "state.json");
      states.push(stateAfter(config, stored, { at, vantages }));
    }
    return states;
  }

  function freshnessIn(state: State | undefined) {
    return freshnessOf(state?.nodes["2"], state?.references["s/p/t"]);
  }

  const halfDay = 12 * 60;
  const statesOf = (states: readonly State[]) => states.map((state) => freshnessIn(state).state);

  test("that goes ahead differs when the reference has stood for a day, and stays so while it goes its own way", () => {
    const ahead = [
      [0, 0],
      [1, 1],
      [1, 99],
    ] as const;
    const stood = [...ahead, [1, 99]] as const;
    const words = ["in_sync", "in_sync", "unknown", "differs"];
    expect(statesOf(play(stood, halfDay))).toEqual(words);
    const pushes = Array.from({ length: 20 }, (_, index) => [index + 2, 99] as const);
    const after = statesOf(play([...stood, ...pushes], halfDay));
    expect(after).toEqual([...words, ...Array<string>(20).fill("differs")]);
    expect(freshnessIn(play([...stood, [99, 99]], halfDay).at(-1))).toEqual(inSync);
    // The mirror moves again, and nothing is known about its new content.
    expect(freshnessIn(play([...stood, [2, 99], [2, 100]], halfDay).at(-1))).toEqual(unknown);
  });

  test("that moves after more pushes than are kept is unknown: it may have any of them", () => {
    const pushes = Array.from({ length: 30 }, (_, index) => [index, 0] as const);
    expect(freshnessIn(play([...pushes, [29, 5]]).at(-1))).toEqual(unknown);
    expect(freshnessIn(play([...pushes, [29, 28]]).at(-1))).toEqual(behind(start + 29 * minute));
    expect(freshnessIn(play([...pushes, [29, 28], [29, 500]]).at(-1))).toEqual(unknown);
  });

  const event = fc.oneof(
    { weight: 6, arbitrary: fc.constant("push" as const) },
    { weight: 3, arbitrary: fc.record({ sync: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.constant("ahead" as const) },
    { weight: 1, arbitrary: fc.constant("reset" as const) },
    { weight: 1, arbitrary: fc.constant("primary down" as const) },
    { weight: 1, arbitrary: fc.constant("mirror down" as const) },
  );

  test("is never accused of what it did not do, whatever happens in whatever order", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(event, { maxLength: 80 }), (startsOld, events) => {
        // The primary's revisions, each with the run that first saw it. Earlier revisions are unknown.
        const history: { revision: number; run: number }[] = [{ revision: 1, run: 0 }];
        let mirror = startsOld ? 0 : 1;
        let next = 1000;
        let movedAt = 0;
        let wasEverInLine = !startsOld;
        let primaryRevision = 1;
        const runs: [number | undefined, number | undefined][] = [[1, mirror]];
        const facts = [
          { mirror, movedAt, ahead: false, wasEverInLine, history: [...history], isHidden: false },
        ];
        let ahead = false;
        for (const [index, one] of events.entries()) {
          const run = index + 1;
          const isHidden = one === "primary down";
          if (one === "push") history.push({ revision: (primaryRevision = next++), run });
          if (one === "reset") {
            primaryRevision = history[Math.floor(history.length / 2)]?.revision ?? 1;
            if (primaryRevision !== history.at(-1)?.revision)
              history.push({ revision: primaryRevision, run });
          }
          if (typeof one === "object") {
            const to = history[Math.max(0, history.length - 1 - one.sync)]?.revision ?? mirror;
            if (to !== mirror) [mirror, movedAt] = [to, run];
            [ahead, wasEverInLine] = [false, true];
          }
          if (one === "ahead") [mirror, movedAt, ahead] = [next++, run, true];
          runs.push([isHidden ? undefined : primaryRevision, one === "mirror down" ? undefined : mirror]);
          facts.push({ mirror, movedAt, ahead, wasEverInLine, history: [...history], isHidden });
        }
        for (const [index, state] of play(runs).entries()) {
          const fact = facts[index];
          if (fact === undefined) throw new Error("There is a fact for each run.");
          const freshness = freshnessIn(state);
          const current = fact.history.at(-1)?.revision;
          const last = fact.history.findLastIndex(({ revision }) => revision === fact.mirror);
          if (fact.mirror === current) {
            expect(freshness.state).toBe("in_sync");
            continue;
          }
          expect(freshness.state).not.toBe("in_sync");
          const left = fact.history[last + 1]?.run;
          if (last < 0) expect(freshness.state).not.toBe("behind");
          else if (freshness.state === "behind")
            expect(freshness.behindSince).toBe(start + (left ?? NaN) * minute);
          // The mirror got this content before the reference moved on, so it is behind, however long ago that was.
          if (last >= 0 && left !== undefined && fact.movedAt < left) expect(freshness.state).toBe("behind");
          // The mirror was never seen in sync, so nothing is known.
          if (!fact.wasEverInLine) expect(freshness.state).toBe("unknown");
          if (freshness.state === "differs" && last >= 0) {
            // The reference once had this content, so the mirror was reset to something older than what it had when
            // last in sync.
            expect(left).toBeLessThanOrEqual(index);
            expect(fact.ahead).toBe(false);
          }
        }
      }),
      { numRuns: trials(300) },
    );
  });
});
