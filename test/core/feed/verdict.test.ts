import { expect, test } from "vitest";
import { type MirrorState, mirrorStates } from "../../../src/core/verdict/mirror-state.ts";
import { referenceAt } from "../../../src/core/feed/target-reference.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import {
  configOf,
  day,
  except,
  hour,
  noon,
  noticeOf,
  play,
  type Played,
  type TimedRound,
} from "../../support/playing.ts";
import type { Seen } from "../../support/rounds.ts";
import { verdictOf } from "../../../src/core/feed/verdict.ts";

const window = { from: "2026-03-10T11:00:00Z", to: "2026-04-01T00:00:00Z", reason: "disks" };
const config = configOf({ maintenance: [{ scope: 3, ...window }] });
const [one, two] = ["1", "2"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));
const lacking = { ...two, content_code: "missing_file" };
const half = { ...one, content_code: "half_synced" };

/**
 * Returns a feed whose primary, node 1, got a new revision two days before the last run. `seen` replaces what the last run
 * observed at some nodes.
 */
function feedOf(seen: Readonly<Record<number, Seen>>, own = config): Played["feed"] {
  return play(own, [
    sawAt(noon - 3 * day, one, one, one),
    sawAt(noon - 2 * day, two, one, one),
    { at: noon, vantages: except({ 1: two, 2: two, 3: two, ...seen }) },
  ]).feed;
}

/** Returns a round with what it saw of the nodes 1, 2 and 3. */
function sawAt(at: number, ...[first, second, third]: readonly Seen[]): TimedRound {
  return { at, vantages: except({ 1: first, 2: second, 3: third }) };
}

function mirrorsIn({ systems }: Pick<Played["feed"], "systems">) {
  return nodesOf(targetsOf(systems));
}

test.each<[string, Record<number, Seen>, string[]]>([
  ["is online if it has the content of the reference", {}, ["online", "online", "maintenance"]],
  ["is behind while it has what the reference had", { 2: one }, ["online", "behind", "maintenance"]],
  ["is wrong, and then behind no more", { 1: lacking, 2: half }, ["wrong", "wrong", "maintenance"]],
  ["is offline whatever its content", { 1: "timeout", 2: "refused" }, ["offline", "offline", "maintenance"]],
  ["is in maintenance whatever its content", { 3: "timeout" }, ["online", "online", "maintenance"]],
])("a mirror %s", (_, seen, states) => {
  const mirrors = mirrorsIn(feedOf(seen)).slice(0, 3);
  expect(mirrors.map(({ state }) => state)).toEqual(states);
});

test("a mirror that is behind for less than the grace is online", () => {
  const rounds = [
    sawAt(noon - 2 * day, one, one, one),
    sawAt(noon - day, two, one, one),
    sawAt(noon, two, one, two),
    sawAt(noon + 4 * hour, two, one, two),
  ];
  const behindAfter = (count: number) => {
    const { feed } = play(configOf(), rounds.slice(0, count));
    const [, node] = mirrorsIn(feed);
    return [node?.freshness, node?.state, node?.late, feed.verdict.attention];
  };
  expect(behindAfter(3)).toEqual(["behind", "online", false, 0]);
  expect(behindAfter(4)).toEqual(["behind", "behind", true, 1]);
});

test("a mirror that cannot be reached is not behind: it was last seen in sync, or behind", () => {
  const down = play(configOf(), [
    sawAt(noon - 2 * day, one, one, two),
    sawAt(noon - day, one, one, one),
    sawAt(noon - hour, two, "timeout", one),
    sawAt(noon, two, "timeout", "timeout"),
  ]).feed;
  expect(
    mirrorsIn(down)
      .slice(0, 3)
      .map((node) => [node.state, node.freshness, node.last_freshness]),
  ).toEqual([
    ["online", "in_sync", undefined],
    ["offline", "unknown", "in_sync"],
    ["offline", "unknown", "behind"],
  ]);
});

test("a mirror without evidence is unknown, and all are if no run was ever online", () => {
  const statesOf = (feed: Played["feed"]) => mirrorsIn(feed).map(({ state }) => state);
  expect(statesOf(feedOf({ 4: undefined }))[3]).toBe("online");
  const first = play(config, [{ at: noon, vantages: except({ 4: undefined, 6: "rate_limited" }) }]).feed;
  expect(statesOf(first).slice(3, 6)).toEqual(["unknown", "online", "unknown"]);
  const never = play(config, [{ at: noon, vantages: { default: () => "dns" } }]).feed;
  expect([...new Set(statesOf(never))]).toEqual(["unknown"]);
  expect([never.verdict.state, never.everReached]).toEqual(["unknown", false]);
});

test("a mirror that has been in maintenance since before its first run is in maintenance", () => {
  const first = play(config, [{ at: noon, vantages: except({ 3: two }) }]).feed;
  expect(mirrorsIn(first)[2]).toMatchObject({ state: "maintenance", code: undefined, status: 1 });
});

test("a feed is as bad as what a visitor gets of its worst target, and counts what needs attention", () => {
  const [behind, down] = [one, "timeout"] as const;
  const verdict = (seen: Readonly<Record<number, Seen>>) => {
    const { state, attention, total } = verdictOf(targetsOf(feedOf(seen, configOf()).systems));
    return [state, attention, total];
  };
  expect(verdict({})).toEqual(["online", 0, 9]);
  expect(verdict({ 2: behind, 3: half })).toEqual(["online", 2, 9]);
  expect(verdict({ 1: down, 2: behind, 3: half })).toEqual(["behind", 3, 9]);
  expect(verdict({ 1: down, 2: down, 3: half })).toEqual(["wrong", 3, 9]);
  expect(verdict({ 4: down, 5: down })).toEqual(["offline", 2, 9]);
  expect(Object.keys(verdictOf([]).counts)).toEqual([...mirrorStates]);
});

test("the color of a set is red for a target without a good mirror, else amber, green or grey", () => {
  type Mirror = Readonly<{ status: 0 | 1; state: MirrorState }>;
  const colorOf = (...targets: readonly (readonly Mirror[])[]) =>
    verdictOf(targets.map((nodes) => ({ nodes }))).color;
  const online = (state: MirrorState): Mirror => ({ status: 1, state });
  const offline = (state: MirrorState): Mirror => ({ status: 0, state });
  const [good, down, wrong] = [online("online"), offline("offline"), online("wrong")];
  const [resting, restingDown, fresh] = [online("maintenance"), offline("maintenance"), online("unknown")];
  expect(colorOf([good, good], [good])).toBe("green");
  expect(colorOf([good], [down])).toBe("red");
  expect(colorOf([good], [wrong, down])).toBe("red");
  expect(colorOf([down, restingDown], [good])).toBe("red");
  expect(colorOf([down, good], [good])).toBe("amber");
  expect(colorOf([online("behind")])).toBe("amber");
  expect(colorOf([online("differs")])).toBe("amber");
  // Neither maintenance nor a new mirror hides a fault, and neither is one.
  expect(colorOf([down, good], [resting])).toBe("amber");
  expect(colorOf([down, resting])).toBe("amber");
  expect(colorOf([down, fresh])).toBe("amber");
  expect(colorOf([good], [resting], [fresh])).toBe("green");
  expect(colorOf([resting], [restingDown], [fresh])).toBe("grey");
  expect(colorOf()).toBe("grey");
});

test("a notice that names a mirror is known of it while the notice is open", () => {
  const noticedAt = (at: number, from: number, to?: number) => {
    const { feed } = play(configOf(), [{ at }], [noticeOf(from, to, 2)]);
    return mirrorsIn(feed)
      .slice(0, 3)
      .map(({ notice }) => notice);
  };
  expect(noticedAt(noon, noon)).toEqual([undefined, "new-disks", undefined]);
  expect(noticedAt(noon, noon - day, noon + 1)[1]).toBe("new-disks");
  expect(noticedAt(noon, noon - day, noon)[1]).toBeUndefined();
  expect(noticedAt(noon, noon + 1)[1]).toBeUndefined();
});

test("the numbers of a mirror end with the last run, and begin with its first one", () => {
  const rounds = [{ at: noon - hour, vantages: except({ 1: "timeout" }) }, { at: noon }];
  const [node] = mirrorsIn(play(config, rounds).feed);
  expect(node?.uptime["90d"].ratio).toBe(0.5);
  expect(node?.days_known).toBe(1);
  expect(node?.vantages().map(({ uptime }) => uptime)).toEqual([{ ratio: 0.5, coverage: 0.67 }]);
  expect(node?.mean_latency_ms).toBeUndefined();
  const down = feedOf({ 2: "timeout" });
  expect(mirrorsIn(down)[0]?.mean_latency_ms).toBe(53);
  expect(down.daysKnown).toBe(4);
  expect(mirrorsIn(down)[1]?.mean_latency_ms).toBeUndefined();
});

test("a tag that moved has its new object, and one that vanished has none", () => {
  const { state } = play(configOf(), [{ at: noon, vantages: except({ 1: one }) }]);
  const reference = state?.references["s/p/t"];
  if (state === undefined || reference === undefined) throw new Error("There is a reference.");
  const rewritten: [number, string, string, string][] = [
    [noon, "refs/tags/v1", "aaaaaaaaaa", ""],
    [noon, "refs/tags/v2", "aaaaaaaaaa", "bbbbbbbbbb"],
  ];
  const known = { ...state, references: { "s/p/t": { ...reference, rewritten } } };
  expect(referenceAt(known, "s/p/t")?.rewritten.map(({ tag, to }) => [tag, to])).toEqual([
    ["refs/tags/v2", "bbbbbbbbbb"],
    ["refs/tags/v1", undefined],
  ]);
});

test("each location has its own latency, of whole days only", () => {
  const vantages = { eu: () => ({ latency_ms: 40 }), usa: () => ({ latency_ms: 240 }) };
  const latencies = (...times: number[]) => {
    const rounds = times.map((at) => ({ at, vantages }));
    const [node] = mirrorsIn(play(config, rounds).feed);
    return Object.fromEntries(node?.vantages().map((own) => [own.vantage, own.mean_latency_ms]) ?? []);
  };
  expect(latencies(noon - day, noon)).toEqual({ eu: 40, usa: 240 });
  expect(latencies(noon)).toEqual({ eu: undefined, usa: undefined });
});

test.each<[string, Record<string, Seen>, object?]>([
  ["all reach it", { eu: "ok", usa: "ok" }],
  ["none does, for different reasons", { eu: "timeout", usa: "refused" }],
  ["one has no evidence", { eu: "ok", usa: "rate_limited" }],
  ["one did not observe it", { eu: "ok", usa: undefined }],
  [
    "they disagree",
    { eu: "timeout", usa: "ok", asia: "rate_limited" },
    { online: [{ vantage: "usa", code: "ok" }], offline: [{ vantage: "eu", code: "timeout" }] },
  ],
])("the locations disagree only if some reach a mirror and some do not: %s", (_, seen, disagreement) => {
  const vantages = Object.fromEntries(
    Object.entries(seen).map(([name, own]) => [name, (id: number): Seen => (id === 1 ? own : "ok")]),
  );
  const [node, other] = mirrorsIn(play(config, [{ at: noon, vantages }]).feed);
  expect(node?.disagreement).toEqual(disagreement);
  expect(other?.disagreement).toBeUndefined();
});
