import { describe, expect, test } from "vitest";
import type { FreshnessRule } from "../../src/config/nodes.ts";
import {
  type AnsweringNode,
  isContentCode,
  lastReachable,
  wrongContent,
  type WrongContent,
} from "../../src/state/content-rule.ts";
import type { NodeState, Reference, State } from "../../src/state/schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../support/rounds.ts";

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

test.each<[string, Partial<NodeState>, boolean]>([
  ["behind since it moved", behind, true],
  ["behind since before", { revision: "older" }, false],
  ["different since", differing, true],
  ["different before", { ...differing, content_since: 999 }, false],
  [
    "behind since before, and half synced since",
    { revision: "older", content_code: "half_synced", content_since: 1000 },
    false,
  ],
  ["half synced", { ...expired, content_code: "half_synced" }, true],
  ["expired", expired, false],
])("a primary that stands alone spares a mirror that is %s: %j", (_, content, isSpared) => {
  const own = { ...rule, codes: ["expired", "half_synced"] as const };
  const alone: Reference = {
    branch: "",
    revisions: [["older", -9], ...reference.revisions],
    unfollowed_since: 1000,
  };
  expect(wrongContent(own, content, { ...alone, stands_alone: true }, 9000)?.isSpared).toBe(isSpared);
  expect(wrongContent(own, content, alone, 9000)?.isSpared).toBe(false);
});

test("a status that comes from content is known by its code", () => {
  expect(["behind", "differs", "expired", "missing_file"].map(isContentCode)).toEqual(Array(4).fill(true));
  expect(["ok", "timeout", "constructor", undefined].map(isContentCode)).toEqual(Array(4).fill(false));
});

describe("the last reachable mirror", () => {
  const of = (state: "in_sync" | "differs"): WrongContent => ({
    code: "expired",
    freshness: { state },
    isSpared: false,
  });
  const since = (behindSince: number): WrongContent => ({
    code: "behind",
    freshness: { state: "behind", behindSince },
    isSpared: false,
  });
  const node = (id: number, wrong: WrongContent | undefined, isOnline = true): AnsweringNode => ({
    id,
    isOnline,
    wrong,
  });

  test.each<[string, AnsweringNode[], number | undefined]>([
    ["is none if another one is right", [node(1, undefined), node(2, since(5))], undefined],
    ["is none if none answered", [], undefined],
    ["is the only one that answered", [node(1, undefined, false)], 1],
    [
      "is one that is online before one that is right",
      [node(1, undefined, false), node(2, of("differs"))],
      2,
    ],
    [
      "is one that is right before the others that are offline",
      [node(1, since(5), false), node(2, undefined, false)],
      2,
    ],
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

describe("a target over many runs", () => {
  const hour = 3_600_000;
  const start = Date.parse("2026-03-01T00:00:00Z");
  const seenAs: Readonly<Record<string, Seen>> = {
    o: { revision: "same" },
    x: { revision: "same", content_code: "expired" },
    "-": "timeout",
    "4": { code: "rate_limited", http_status: 429 },
  };
  const slow = { probe: { successThreshold: 3 } };
  const maintenance = [
    { scope: "m0.example.org", from: "2026-03-01T00:30:00Z", to: "2026-03-02T00:00:00Z", reason: "disks" },
  ];

  /** Plays rounds an hour apart. Returns the final status of each mirror: 0, 1, or `*` if the mirror is kept online. */
  function play(rounds: string, more: object): string {
    const network = networkAt(["m0", "m1"].map((name) => `https://${name}.example.org/x`));
    // A second target proves that the prober is online.
    const proof = { target: "u", network: [{ id: 3, url: "https://proof.example.org/x" }] };
    const config = projectConfig([{ target: "t", primary: 1, network }, proof], {
      freshness: { offlineAfter: "2h", codes: ["expired"] },
      ...more,
    });
    const played = rounds.split(" ").map((round) => [...Array.from(round, (letter) => seenAs[letter]), "ok"]);
    const state = played.reduce<State | undefined>(
      (before, seen, index) => stateAfter(config, before, { at: start + index * hour, seen }),
      undefined,
    );
    return ["1", "2"]
      .map((id) => state?.nodes[id])
      .map((node) => (node?.kept_online === undefined ? node?.status : "*"))
      .join("");
  }

  test.each<[string, string, object, string]>([
    ["keeps its last mirror online while a better one is not trusted yet", "oo xx xx xx xo xo", slow, "*0"],
    ["no longer once it is", "oo xx xx xx xo xo xo", slow, "01"],
    ["does not count on a mirror in maintenance that fails", "oo ox ox ox -x", { maintenance }, "1*"],
    ["counts on one in maintenance whatever it has", "oo xx xx xx", { maintenance }, "10"],
    ["does not count on one that is offline in maintenance", "-o ox ox ox", { maintenance }, "0*"],
    ["counts on one in maintenance that answers", "oo ox ox ox ox", { maintenance }, "10"],
    ["does not count on one that only says that it is asked too often", "oo ox ox ox 4x", {}, "1*"],
    ["trusts at once the only mirror that answers", "oo o- o- -o", slow, "01"],
    [
      "trusts it also while the one that fails is not given up",
      "oo o- o- o- o- -o",
      { probe: { failureThreshold: 2, successThreshold: 3 } },
      "11",
    ],
    ["takes its time if none was online before", "oo -- -o", slow, "00"],
    ["keeps none online that is not trusted yet", "oo -x -x -x -- -x", slow, "00"],
    ["trusts one with wrong content in time, if there is no other", "oo -x -x -x -- -x -x -x", slow, "0*"],
  ])("%s", (_, rounds, more, statuses) => {
    expect(play(rounds, more)).toBe(statuses);
  });
});
