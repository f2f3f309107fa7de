import { describe, expect, test } from "vitest";
import {
  freshnessOf,
  moveReference,
  type Reference,
  referenceTip,
  type Tip,
} from "../../src/state/freshness.ts";

const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];
const tip = (id: number, revision: string, branch = "main"): Tip => ({ id, revision, branch });

function history(...revisions: readonly string[]): Reference {
  const moved = revisions.reduce<Reference | undefined>(
    (reference, revision, index) => moveReference(reference, tip(1, revision), (index + 1) * 1000),
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
  test.each<[string, Reference | undefined, Omit<Tip, "id"> | undefined, object]>([
    ["with the reference's revision is in sync", history(a, b), tip(2, b), { state: "in_sync" }],
    [
      "with one it had before is behind since the reference left it",
      history(a, b, c),
      tip(2, a),
      { state: "behind", behindSince: 2000 },
    ],
    [
      "is behind since the last time the reference left it",
      history(a, b, a, c),
      tip(2, a),
      { state: "behind", behindSince: 4000 },
    ],
    ["is in sync again after a force-push back", history(a, b, a), tip(2, a), { state: "in_sync" }],
    [
      "with one the reference never had differs: it may be ahead",
      history(a, b),
      tip(2, c),
      { state: "differs" },
    ],
    ["on another branch is unknown", history(a), tip(2, a, "trunk"), { state: "unknown" }],
    ["without a revision is unknown", history(a), undefined, { state: "unknown" }],
    ["without a reference is unknown", undefined, tip(2, a), { state: "unknown" }],
  ])("%s", (_, reference, seen, freshness) => {
    expect(freshnessOf(seen, reference)).toEqual(freshness);
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

  test("begins anew with another branch", () => {
    expect(moveReference(history(a, b), tip(1, c, "trunk"), 9000)).toEqual({
      branch: "trunk",
      revisions: [["c".repeat(16), 9000]],
    });
  });
});
