import { describe, expect, test } from "vitest";
import type { FreshnessRule } from "../../../src/core/config/nodes.ts";
import { type AnsweringNode, lastReachable, wrongContent } from "../../../src/core/state/content-rule.ts";
import type { NodeContent, Reference } from "../../../src/core/state/content-schema.ts";
import { networkAt, playHours, projectConfig, type Seen } from "../../support/rounds.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/time.ts";

const named: Pick<FreshnessRule, "states" | "codes"> = { states: ["behind", "differs"], codes: ["expired"] };
const rule: FreshnessRule = { graceMs: 9, offlineAfterMs: 100, ...named };
const behind: NodeContent = { freshness: "behind", behind: [1000, "HEAD", "old"] };
const differing: NodeContent = { freshness: "differs", differs: true, content_since: 1000 };
const expired: NodeContent = { freshness: "in_sync", content_code: "expired", content_since: 1000 };
const halfSynced: NodeContent = { ...expired, content_code: "half_synced" };

/** A reference with versions at these times. A negative time is that of a version that a mirror has taken. */
function versionsAt(...times: readonly number[]): Reference {
  const versions = times.map((time) => ({
    value: `${time}`,
    since: Math.abs(time),
    ...(time < 0 && { taken: true as const }),
  }));
  return { branch: "", versions };
}

describe("content makes a mirror offline", () => {
  const target = { reference: versionsAt(500, 1000), mirrors: undefined, isFollowed: false };
  const dayLater = 1100 + dayMs;

  test.each<[string, FreshnessRule, NodeContent, number, string | undefined]>([
    ["if it was behind for long enough", rule, behind, 1100, "behind"],
    ["not a millisecond earlier", rule, behind, 1099, undefined],
    ["if it differed for long enough", rule, differing, 1100, "differs"],
    ["if its content is incomplete for long enough", rule, halfSynced, 1100, "differs"],
    ["by a code, though it is in sync", rule, expired, 1100, "expired"],
    ["by a code, though it is behind for less long", rule, { ...behind, ...expired }, 1100, "expired"],
    ["not by a code that the rule does not name", { ...rule, codes: [] }, expired, 9000, undefined],
    ["not by a state that the rule does not name", { ...rule, states: ["differs"] }, behind, 9000, undefined],
    ["not if it is unknown", rule, { freshness: "unknown" }, 9000, undefined],
    ["not if behind, unseen for a day", rule, { ...behind, unseen_since: 1100 }, dayLater, undefined],
    ["but if different, unseen for a day", rule, { ...differing, unseen_since: 1100 }, dayLater, "differs"],
    ["not without a time", { ...rule, offlineAfterMs: undefined }, behind, 9000, undefined],
  ])("%s", (_, own, content, at, code) => {
    expect(wrongContent(own, content, target, at)?.code).toBe(code);
  });

  test.each<[string, NodeContent, Reference | undefined, number | undefined, number, boolean | undefined]>([
    ["at once if a mirror took what it lacks", behind, versionsAt(500, -1000), 2, 1100, false],
    ["not before a mirror that took a later version", behind, versionsAt(1000, -1050), 2, 1149, undefined],
    ["as long after a mirror took a later version", behind, versionsAt(1000, -1050), 2, 1150, false],
    ["and is spared if no mirror took any of it", behind, versionsAt(-500, 1000, 1050), 2, 1100, true],
    ["and is not spared by young content of that kind", behind, versionsAt(-500, 1000), 2, 1099, undefined],
    ["if there is only one mirror that could have", behind, versionsAt(500, 1000), 1, 1100, false],
    ["without a primary", behind, versionsAt(500, 1000), undefined, 1100, false],
    ["without a reference", behind, undefined, 2, 1100, false],
    ["by its code, whatever the mirrors took", expired, versionsAt(500, 1000), 2, 1100, false],
  ])("that lacks content of its primary %s", (_, content, reference, mirrors, at, isSpared) => {
    const found = wrongContent(rule, content, { ...target, reference, mirrors }, at);
    expect(found?.isSpared).toBe(isSpared);
  });
});

describe("the last reachable mirror", () => {
  const now = 100 * hourMs;
  const since = (hour: number, late?: true): NodeContent => {
    return { freshness: "behind", behind: [hour * hourMs, "HEAD", "a"], late };
  };
  const right = (id: number, isOnline = true): AnsweringNode => {
    return { id, isOnline, isWrong: false, content: { freshness: "in_sync" } };
  };
  const wrong = (id: number, content: NodeContent, isOnline = true): AnsweringNode => ({
    ...{ id, isOnline, content },
    isWrong: true,
  });

  test.each<[string, AnsweringNode[], number | undefined]>([
    ["is none if another one is right", [right(1), wrong(2, since(5))], undefined],
    ["is the only one that answered", [right(1, false)], 1],
    ["is one that is online before one that is right", [right(1, false), wrong(2, differing)], 2],
    ["is one that is right before others that are offline", [wrong(1, since(5), false), right(2, false)], 2],
    ["is one without a code before one with it", [wrong(1, expired), wrong(2, differing)], 2],
    ["is the one that fell behind last", [5, 9, 7].map((at, index) => wrong(index + 1, since(at, true))), 2],
    ["is one that is online now", [wrong(1, since(9), false), wrong(2, since(5))], 2],
  ])("%s", (_, nodes, id) => {
    expect(lastReachable(nodes, now)).toBe(id);
  });
});

describe("a target over many runs", () => {
  const seenAs: Readonly<Record<string, Seen>> = {
    o: { revision: "same" },
    x: { revision: "same", content_code: "no_fetch" },
    "-": "timeout",
    "4": { code: "rate_limited", http_status: 429 },
  };
  const patient = { probe: { failureThreshold: 2, successThreshold: 3 } };
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
      freshness: { offlineAfter: "2h", codes: ["no_fetch"] },
      ...more,
    });
    const played = rounds.split(" ").map((round) => [...Array.from(round, (letter) => seenAs[letter]), "ok"]);
    const { nodes } = playHours(config, played);
    const statusOf = (id: string) => (nodes[id]?.kept_online === undefined ? nodes[id]?.status : "*");
    return `${statusOf("1")}${statusOf("2")}`;
  }

  test.each<[string, string, object, string]>([
    ["keeps its last mirror online while a better one is not trusted yet", "oo xx xx xx xo xo", slow, "*0"],
    ["no longer once it is", "oo xx xx xx xo xo xo", slow, "01"],
    ["does not count on a mirror in maintenance that fails", "oo ox ox ox -x", { maintenance }, "1*"],
    ["counts on one in maintenance whatever it has", "oo xx xx xx", { maintenance }, "10"],
    ["does not count on one that is offline in maintenance", "-o ox ox ox", { maintenance }, "0*"],
    ["counts on one in maintenance that answers", "oo ox ox ox ox", { maintenance }, "10"],
    ["counts on one that only says that it is asked too often", "oo ox ox ox 4x", {}, "10"],
    ["also if that one was kept online itself", "oo xx xx xx 4x", {}, "10"],
    ["trusts at once the only mirror that answers", "oo o- o- -o", slow, "01"],
    ["trusts it also while the one that fails is not given up", "oo o- o- o- o- -o", patient, "11"],
    ["trusts it at once if none was online before", "oo -- -o", slow, "01"],
    ["trusts one with wrong content, if there is no other", "oo -x -x -x -- -x", slow, "0*"],
  ])("%s", (_, rounds, more, statuses) => {
    expect(play(rounds, more)).toBe(statuses);
  });
});
