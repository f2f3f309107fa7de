import { textOf } from "../support/text-of.ts";
import { expect, test } from "vitest";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { NotifiedFeed } from "../../src/features/notify/notified-feed.ts";
import { summaryChanges, summaryJson, summaryTable } from "../../src/app/run-summary.ts";
import { renderMetrics } from "../../src/features/metrics/metrics.ts";
import { heartbeat } from "../../src/core/site/report.ts";
import type { Round } from "../../src/core/state/round.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { midnight } from "../support/playing.ts";
import { vantageOf } from "../support/rounds.ts";
import { resolveRound } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";

const config = notifiedConfig([{ id: 1 }]);
const nodes = listNodes(config);
const message = { channel: "ops", phase: "begin" as const, events: ["0123456789abcdef"], at: 1 };
const notifications: FeedState["notifications"] = {
  events: {},
  outbox: {
    "0000000000000001": message,
    "0000000000000002": { ...message, attempts: 1, next: midnight + 300_000 },
  },
  dropped: [3, 1],
};
const state: FeedState = { ...playRun(config, undefined, { at: 0 }), notifications };
const round: Round = { run: "r", at: 1, vantages: [vantageOf("default", ["ok"])] };

const counts = { waiting: 2, failing: 1, dropped: 3 };

function feedOf(own: FeedState, notify?: unknown): NotifiedFeed {
  const silent = notifiedConfig([{ id: 1 }], notify);
  return resolveRound(silent, nodes, round, { online: round.vantages, state: own });
}

test("the numbers of messages are in the heartbeat and the metrics if there are rules", () => {
  const feed = feedOf(state);
  expect(heartbeat(feed).notifications).toEqual(counts);
  expect(textOf(renderMetrics(feed)[0])).toContain('mirrorfeed_notifications{state="failing"} 1\n');
  expect(heartbeat(feedOf(state, [])).notifications).toBeUndefined();
  const none = feedOf({ ...state, notifications: undefined });
  expect(heartbeat(none).notifications).toEqual({ waiting: 0, failing: 0, dropped: 0 });
});

test("the numbers of messages are in the summary of a run if there are any", () => {
  const shown = { nodes, round, isVoid: false, feed: feedOf(state, []) };
  const lines = [
    "1 notification to send.",
    "1 notification is waiting; the next attempt is at 00:05 UTC.",
    "3 notifications dropped recently.",
  ];
  expect(summaryChanges(shown).slice(-3)).toEqual(lines);
  expect(summaryTable(shown).split("\n").slice(-3)).toEqual(lines);
  const next_attempt_at = new Date(midnight + 300_000).toISOString();
  expect(JSON.parse(summaryJson(shown))).toMatchObject({ notifications: { ...counts, next_attempt_at } });
  const none = { ...shown, feed: feedOf({ ...state, notifications: undefined }) };
  expect(summaryChanges(none).at(-1)).toBe("1 mirror: 1 online.");
  expect(JSON.parse(summaryJson(none))).not.toHaveProperty("notifications");
});

test("a primary that stands alone is in the summary of a run", () => {
  const [node] = Object.values(state.nodes);
  if (node === undefined) throw new Error("There is a node.");
  const own: FeedState = { ...state, nodes: { 1: { ...node, kept_online: "primary_alone" } } };
  const shown = { nodes, round, isVoid: false, feed: feedOf(own) };
  const line = `${nodes[0]?.place}: no other mirror has copied the primary's content, so mirrors without it stay online despite freshness.offlineAfter.`;
  expect(summaryChanges(shown)).toContain(line);
  expect(summaryTable(shown).split("\n")).toContain(line);
  expect(JSON.parse(summaryJson(shown))).toMatchObject({ nodes: [{ kept_online: "primary_alone" }] });
  expect(summaryChanges({ ...shown, feed: feedOf(state) })).not.toContain(line);
});
