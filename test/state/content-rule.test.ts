import { describe, expect, test } from "vitest";
import type { FreshnessRule } from "../../src/config/nodes.ts";
import {
  isContentCode,
  lastReachable,
  type RuledNode,
  wrongContent,
  type WrongContent,
} from "../../src/state/content-rule.ts";
import type { NodeState, Reference } from "../../src/state/schema.ts";

const rule: FreshnessRule = { offlineAfterMs: 100, states: ["behind", "differs"], codes: ["expired"] };
const reference: Reference = {
  branch: "",
  revisions: [
    ["old", 0],
    ["new", 1000],
  ],
};
const behind = { revision: "old" };
const differing = { revision: "x", differs: true as const, content_since: 1000 };
const expired = { revision: "new", content_code: "expired", content_since: 1000 };

describe("content makes a mirror offline", () => {
  test.each<[string, FreshnessRule | undefined, Partial<NodeState>, number, string | undefined]>([
    ["if it was behind for long enough", rule, behind, 1100, "behind"],
    ["not a millisecond earlier", rule, behind, 1099, undefined],
    ["if it differed for long enough", rule, differing, 1100, "differs"],
    ["not before it differed so long", rule, differing, 1099, undefined],
    ["by a code, though it is in sync", rule, expired, 1100, "expired"],
    ["not by a code that is young", rule, expired, 1099, undefined],
    ["not by a code that the rule does not name", { ...rule, codes: [] }, expired, 9000, undefined],
    ["not by a state that the rule does not name", { ...rule, states: ["differs"] }, behind, 9000, undefined],
    ["not if it is in sync", rule, { revision: "new" }, 9000, undefined],
    ["not if it is unknown", rule, { revision: "x" }, 9000, undefined],
    ["not without a rule", undefined, behind, 9000, undefined],
  ])("%s", (_, own, content, at, code) => {
    expect(wrongContent(own, content, reference, at)?.code).toBe(code);
  });
});

test("a status that comes from content is known by its code", () => {
  expect(["behind", "differs", "expired", "missing_file"].map(isContentCode)).toEqual(Array(4).fill(true));
  expect(["ok", "timeout", "constructor", undefined].map(isContentCode)).toEqual(Array(4).fill(false));
});

describe("the last reachable mirror", () => {
  const of = (state: "in_sync" | "differs"): WrongContent => ({ code: "expired", freshness: { state } });
  const since = (behindSince: number): WrongContent => ({
    code: "behind",
    freshness: { state: "behind", behindSince },
  });
  const node = (id: number, wrong: WrongContent | undefined, isOnline = true): RuledNode => ({
    id,
    isOnline,
    wrong,
  });

  test.each<[string, RuledNode[], number | undefined]>([
    ["is none if another one is right", [node(1, undefined), node(2, since(5))], undefined],
    ["is none if all are offline", [node(1, undefined, false)], undefined],
    ["is the only one", [node(1, undefined, false), node(2, of("differs"))], 2],
    [
      "is the one that is behind rather than one that differs",
      [node(1, of("differs")), node(2, since(5))],
      2,
    ],
    ["is the one that fell behind last", [node(1, since(5)), node(2, since(9)), node(3, since(7))], 2],
    ["is the one in sync before all others", [node(1, since(9)), node(2, of("in_sync"))], 2],
    ["is one that is online now", [node(1, since(9), false), node(2, since(5))], 2],
  ])("%s", (_, nodes, id) => {
    expect(lastReachable(nodes)).toBe(id);
  });
});
