import { daysMeasured, meanLatency } from "../contract/rank.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { dayMs, hourMs, nothing } from "../state/counts.ts";
import type { NodeState, State } from "../state/schema.ts";
import { maintenanceReason } from "../state/maintenance.ts";
import { daysShown } from "../base/text/day-kind.ts";
import type { ConfiguredFields, ContentChange, FeedNode, Transition, VantageUptime } from "./feed.ts";
import { isoTimestamp, timestampIfAny } from "./timestamp.ts";
import { mergeCounts, daysBefore, latenciesBefore, totalBefore, uptimeBefore } from "./uptime.ts";
import type { NodeVerdict } from "./verdicts.ts";

/** The part of a node that comes from the state, not from the configuration or the last run. */
export type NodeEvidence = Omit<FeedNode, keyof ConfiguredFields | "target" | "observed">;

/** The settings of the feed that evidence depends on. */
interface EvidenceContext {
  /** The time of the feed, in epoch milliseconds. */
  readonly at: number;
  readonly maintenance: Config["maintenance"];
  readonly intervalMs: number;
}

/** Up to this interval every hour has a run, so that the last 24 hours are counted by the hour. Above, by the day. */
const maxHourlyIntervalMs = 30 * 60_000;

/** A status without new evidence for this long is shown as unverified. */
const verifiedForMs = dayMs;

/**
 * Returns the evidence that a state has for a node. Only `today` and `last24h` change with every run. The rest changes with the status,
 * the content, the certificate, a maintenance or the day.
 */
export function nodeEvidence(
  node: Node,
  { status, freshness }: NodeVerdict,
  state: State | undefined,
  { at, maintenance, intervalMs }: EvidenceContext,
): NodeEvidence {
  const { id } = node;
  const stored = state?.nodes[id];
  const tallies = Object.values(state?.vantages ?? {}).flatMap(({ nodes }) => nodes[id] ?? []);
  const packedDays = tallies.map((tally) => tally.days);
  const days = mergeCounts(packedDays);
  const today = Math.floor(at / dayMs);
  const unverifiedSince = stored?.unverified_since;
  const isUnverified = unverifiedSince !== undefined && at - unverifiedSince >= verifiedForMs;
  const hours = mergeCounts(tallies.map((tally) => tally.hours));
  const dayBefore =
    intervalMs > maxHourlyIntervalMs ? uptimeBefore(days, today, 1) : uptimeBefore(hours, today * 24, 24);
  return {
    status,
    code: stored?.code,
    since: stored && isoTimestamp(stored.since),
    http_status: stored?.http_status,
    phase: stored?.phase,
    cause: stored?.cause,
    unverified_since: isUnverified ? isoTimestamp(unverifiedSince) : undefined,
    revision: stored?.revision,
    branch: stored?.branch || undefined,
    freshness: freshness.state,
    behind_since: freshness.state === "behind" ? isoTimestamp(freshness.behindSince) : undefined,
    lag_seconds:
      freshness.state === "behind" && freshness.lagMs !== undefined
        ? Math.round(freshness.lagMs / 1000)
        : undefined,
    content_at: timestampIfAny(stored?.content_at),
    content_code: stored?.content_code,
    difference: freshness.state === "in_sync" ? undefined : stored?.difference,
    refs_unread: stored?.refs_unread,
    last_reachable: stored?.last_reachable,
    tls_expires_at: timestampIfAny(stored?.tls_expires_at),
    maintenance: maintenanceReason(maintenance, node, at),
    uptime: {
      "24h": dayBefore,
      "7d": uptimeBefore(days, today, 7),
      "30d": uptimeBefore(days, today, 30),
      "90d": uptimeBefore(days, today, 90),
    },
    mean_latency_ms: meanLatency(latenciesBefore(days, today, daysMeasured)),
    transitions: transitionsOf(stored),
    changes: contentChangesOf(stored),
    days: () => daysBefore(mergeCounts(packedDays), today),
    vantages: () => uptimeByVantage(state, id, today),
    today: days.get(today) ?? nothing,
    last24h: totalBefore(hours, Math.floor(at / hourMs) + 1, 24),
  };
}

function uptimeByVantage(state: State | undefined, id: number, today: number): VantageUptime[] {
  return Object.entries(state?.vantages ?? {}).flatMap(([vantage, { nodes }]) => {
    const tally = nodes[id];
    return tally === undefined
      ? []
      : [{ vantage, uptime: uptimeBefore(mergeCounts([tally.days]), today, daysShown) }];
  });
}

function transitionsOf(stored: NodeState | undefined): Transition[] {
  const oldestFirst = (stored?.transitions ?? []).map(([at, status, code], index, all) => {
    const [before] = all[index - 1] ?? [];
    const lasted = before === undefined ? undefined : Math.round((at - before) / 1000);
    return { at: isoTimestamp(at), status, code, after_seconds: lasted };
  });
  return oldestFirst.toReversed();
}

function contentChangesOf(stored: NodeState | undefined): ContentChange[] {
  const oldestFirst = (stored?.changes ?? []).map(([at, code, expiry]) => {
    return { at: isoTimestamp(at), code, expires_at: timestampIfAny(expiry) };
  });
  return oldestFirst.toReversed();
}
