import { textOf } from "../support/text-of.ts";
import { expect, test } from "vitest";
import { listNodes } from "../../src/core/config/nodes.ts";
import { targetWarnings } from "../../src/core/kinds/mirror-content.ts";
import type { NotifiedFeed } from "../../src/features/notify/told.ts";
import { summaryChanges, summaryJson, summaryTable } from "../../src/app/run-summary.ts";
import { renderMetrics } from "../../src/features/metrics/metrics.ts";
import { heartbeat } from "../../src/core/site/report.ts";
import type { Round } from "../../src/core/state/round.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { hour, midnight } from "../support/playing.ts";
import { vantageOf } from "../support/rounds.ts";
import { withWaiting } from "../../src/features/notify/claims.ts";
import { resolveRound } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";

const config = notifiedConfig([{ id: 1 }]);
const nodes = listNodes(config);
const round: Round = { run: "r", at: 1, vantages: [vantageOf("default", ["ok"])] };
const down = playRun(config, playRun(config, undefined, { at: 0 }), { at: 1, seen: { 1: "timeout" } });
const state: FeedState = playRun(config, down, { at: 2, seen: { 1: "timeout" } });
const now = midnight + 2 * hour;
const failed: FeedState["notifications"] = {
  lines: {},
  channels: { ops: { sent: [], failures: 1, next: now + 300_000 } },
};

function feedOf(own: FeedState, notify?: unknown): NotifiedFeed {
  const silent = notifiedConfig([{ id: 1 }], notify);
  return withWaiting(resolveRound(silent, nodes, round, { online: round.vantages, state: own }));
}

test("the number of notifications is in the heartbeat and the metrics if there are rules", () => {
  const feed = feedOf({ ...state, notifications: failed });
  expect(heartbeat(feed).notifications).toEqual({ waiting: 1, failing: 1 });
  expect(textOf(renderMetrics(feed)[0])).toContain('mirrorfeed_notifications{state="failing"} 1\n');
  expect(heartbeat(feedOf(state, [])).notifications).toBeUndefined();
  expect(heartbeat(feedOf(down)).notifications).toEqual({ waiting: 0, failing: 0 });
});

test("the number of notifications is in the summary of a run if there are any", () => {
  const shownWith = (own: FeedState) => ({ nodes, round, isVoid: false, feed: feedOf(own) });
  const last = (own: FeedState) => summaryTable(shownWith(own)).split("\n").at(-1);
  expect(last(state)).toBe("1 notification to send.");
  const waiting = { ...state, notifications: failed };
  expect(last(waiting)).toBe("1 notification to send.");
  expect(JSON.parse(summaryJson(shownWith(waiting)))).toMatchObject({
    notifications: { waiting: 1, failing: 1 },
  });
  expect(last(down)).toBe("1 mirror: 1 offline.");
});

test("what keeps the checks of a target from working is in the summary of a run", () => {
  const place = nodes[0]?.place ?? "";
  const own: FeedState = {
    ...state,
    references: { [place]: { branch: "", versions: [], warnings: ["expired"] } },
  };
  const shown = { nodes, round, isVoid: false, feed: feedOf(own) };
  const sentence = targetWarnings.expired;
  expect(summaryTable(shown).split("\n")).toContain(`Warning: ${place}: ${sentence}`);
  expect(JSON.parse(summaryJson(shown))).toMatchObject({
    warnings: [{ target: place, code: "expired", sentence }],
  });
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
