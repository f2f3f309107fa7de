import { textOf } from "../support/text-of.ts";
import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { type Feed, resolveFeed } from "../../src/feed/feed.ts";
import { summaryChanges, summaryJson, summaryTable } from "../../src/run/summary.ts";
import { renderMetrics } from "../../src/outputs/metrics/metrics.ts";
import { heartbeat } from "../../src/outputs/report/report.ts";
import type { State } from "../../src/state/schema.ts";
import type { Round } from "../../src/state/round.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { vantageOf } from "../support/rounds.ts";

const config = notifiedConfig([{ id: 1 }]);
const nodes = listNodes(config);
const message = { channel: "ops", phase: "begin" as const, events: ["0123456789abcdef"], at: 1 };
const notifications: State["notifications"] = {
  events: {},
  outbox: { "0000000000000001": message, "0000000000000002": { ...message, attempts: 1, next: 2 } },
  dropped: [3, 1],
};
const state: State = { ...playRun(config, undefined, { at: 0 }), notifications };
const round: Round = { run: "r", at: 1, vantages: [vantageOf("default", ["ok"])] };

const counts = { waiting: 2, failing: 1, dropped: 3 };

function feedOf(own: State, notify?: unknown): Feed {
  const silent = notifiedConfig([{ id: 1 }], notify);
  return resolveFeed(silent, nodes, round, { online: round.vantages, state: own });
}

test("the numbers of messages are in the heartbeat and the metrics if there are rules", () => {
  const feed = feedOf(state);
  expect(heartbeat(feed).notifications).toEqual(counts);
  expect(textOf(renderMetrics(feed)[0])).toContain('mirrorfeed_messages{state="failing"} 1\n');
  expect(heartbeat(feedOf(state, [])).notifications).toBeUndefined();
  const none = feedOf({ ...state, notifications: undefined });
  expect(heartbeat(none).notifications).toEqual({ waiting: 0, failing: 0, dropped: 0 });
});

test("the numbers of messages are in the summary of a run if there are any", () => {
  const shown = { nodes, round, isVoid: false, feed: feedOf(state, []) };
  const line = "2 messages to send, 1 of which failed before; 3 given up in the last week.";
  expect(summaryChanges(shown).at(-1)).toBe(line);
  expect(summaryTable(shown, false).split("\n").at(-1)).toBe(line);
  expect(JSON.parse(summaryJson(shown))).toMatchObject({ notifications: counts });
  const none = { ...shown, feed: feedOf({ ...state, notifications: undefined }) };
  expect(summaryChanges(none).at(-1)).toBe("1 node: 1 online, 0 offline.");
  expect(JSON.parse(summaryJson(none))).not.toHaveProperty("notifications");
});

test("a primary that stands alone is in the summary of a run", () => {
  const [node] = Object.values(state.nodes);
  if (node === undefined) throw new Error("There is a node.");
  const own: State = { ...state, nodes: { 1: { ...node, kept_online: "primary_alone" } } };
  const shown = { nodes, round, isVoid: false, feed: feedOf(own) };
  const line = `${nodes[0]?.place}: no other mirror has taken the primary's content, so it makes none offline (freshness.offlineAfter).`;
  expect(summaryChanges(shown)).toContain(line);
  expect(summaryTable(shown, false).split("\n")).toContain(line);
  expect(JSON.parse(summaryJson(shown))).toMatchObject({ nodes: [{ kept_online: "primary_alone" }] });
  expect(summaryChanges({ ...shown, feed: feedOf(state) })).not.toContain(line);
});
