import { daysMeasured, meanLatency } from "../client/rank.ts";
import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { dayMs, nothing } from "../state/counts.ts";
import type { NodeState, State } from "../state/document.ts";
import { maintenanceReason } from "../state/maintenance.ts";
import type { Node, Transition } from "./feed.ts";
import { isoTimestamp } from "./timestamp.ts";
import { countTogether, daysBefore, latenciesBefore, uptimeBefore } from "./uptime.ts";
import type { NodeVerdict } from "./verdicts.ts";

/** What the state says of a node: everything but what the configuration and the last run say. */
type Evidence = Omit<Node, "of" | "id" | "name" | "url" | "host" | "kind" | "primary" | "observed">;

/** When the evidence is looked at (epoch milliseconds), and what the configuration says of that time. */
interface EvidenceContext {
  readonly at: number;
  readonly maintenance: Config["maintenance"];
  readonly intervalMinutes: number;
}

/** Hours tell more of a day than the day does, if runs are due often enough for each hour to have one. */
const maxIntervalForHours = 30;

/** From here on the last evidence is old: the feed says so of a status after a day without evidence. */
const verifiedForMs = dayMs;

/**
 * Returns the evidence that a state has of a node. Nothing in it but `today` is of a single run: it is the same until the
 * status, the content, the certificate, a maintenance or the day changes.
 */
export function nodeEvidence(
  node: NetworkNode,
  { status, freshness }: NodeVerdict,
  state: State | undefined,
  { at, maintenance, intervalMinutes }: EvidenceContext,
): Evidence {
  const { id } = node;
  const known = state?.nodes[id];
  const tallies = Object.values(state?.vantages ?? {}).flatMap(({ nodes }) => nodes[id] ?? []);
  const countDays = () => countTogether(tallies.map((tally) => tally.days));
  const days = countDays();
  const today = Math.floor(at / dayMs);
  const unverifiedSince = known?.unverified_since;
  const isUnverified = unverifiedSince !== undefined && at - unverifiedSince >= verifiedForMs;
  const uptimeToday =
    intervalMinutes > maxIntervalForHours
      ? uptimeBefore(days, today, 1)
      : uptimeBefore(countTogether(tallies.map((tally) => tally.hours)), today * 24, 24);
  return {
    status,
    code: known?.code,
    since: known && isoTimestamp(known.since),
    http_status: known?.http_status,
    phase: known?.phase,
    cause: known?.cause,
    unverified_since: isUnverified ? isoTimestamp(unverifiedSince) : undefined,
    revision: known?.revision,
    branch: known?.branch || undefined,
    freshness: freshness.state,
    behind_since: freshness.state === "behind" ? isoTimestamp(freshness.behindSince) : undefined,
    tls_expires_at: known?.tls_expires_at === undefined ? undefined : isoTimestamp(known.tls_expires_at),
    maintenance: maintenanceReason(maintenance, node, at),
    uptime: {
      "24h": uptimeToday,
      "7d": uptimeBefore(days, today, 7),
      "30d": uptimeBefore(days, today, 30),
      "90d": uptimeBefore(days, today, 90),
    },
    mean_latency_ms: meanLatency(latenciesBefore(days, today, daysMeasured)),
    transitions: transitionsOf(known),
    days: () => daysBefore(countDays(), today),
    today: days.get(today) ?? nothing,
  };
}

function transitionsOf(known: NodeState | undefined): Transition[] {
  const oldestFirst = (known?.transitions ?? []).map(([at, status, code], index, all) => {
    const [before] = all[index - 1] ?? [];
    const lasted = before === undefined ? undefined : Math.round((at - before) / 1000);
    return { at: isoTimestamp(at), status, code, after_seconds: lasted };
  });
  return oldestFirst.toReversed();
}
