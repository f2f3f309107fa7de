import { textOf } from "../support/text-of.ts";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { messageCounts } from "../../src/feed/message-counts.ts";
import { resolveFeed } from "../../src/feed/resolve.ts";
import { verdictsOf } from "../../src/feed/verdicts.ts";
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

describe("messages that wait, that failed and that were given up", () => {
  const counts = { waiting: 2, failing: 1, dropped: 3 };

  test("are counted", () => {
    expect(messageCounts(notifications)).toEqual(counts);
    expect(messageCounts(undefined)).toEqual({ waiting: 0, failing: 0, dropped: 0 });
  });

  test("are in the heartbeat and the metrics if there are rules", () => {
    const feed = resolveFeed(config, nodes, round, { online: round.vantages, state });
    expect(heartbeat(feed).notifications).toEqual(counts);
    const [metrics] = renderMetrics(feed);
    expect(textOf(metrics)).toContain('mirrorfeed_messages{state="failing"} 1\n');
    const silent = notifiedConfig([{ id: 1 }], []);
    const without = resolveFeed(silent, nodes, round, { online: round.vantages, state });
    expect(heartbeat(without).notifications).toBeUndefined();
  });

  test("are in the summary of a run if there are any", () => {
    const shown = { nodes, round, isVoid: false, verdicts: verdictsOf(nodes, state) };
    const line = "2 messages to send, 1 of which failed before; 3 given up in the last week.";
    expect(summaryChanges({ ...shown, messages: counts }).at(-1)).toBe(line);
    expect(
      summaryTable({ ...shown, messages: counts }, false)
        .split("\n")
        .at(-1),
    ).toBe(line);
    expect(JSON.parse(summaryJson({ ...shown, messages: counts }))).toMatchObject({ notifications: counts });
    const none = { ...shown, messages: messageCounts(undefined) };
    expect(summaryChanges(none).at(-1)).toBe("1 node: 1 online, 0 offline.");
    expect(JSON.parse(summaryJson(none))).not.toHaveProperty("notifications");
  });
});
