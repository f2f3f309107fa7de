import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { codeSentences } from "../sentences.ts";
import { statusesOf } from "../state/advance.ts";
import { type Count, dayMs, nothing } from "../state/counts.ts";
import type { NodeState, State } from "../state/document.ts";
import { type Freshness, freshnessOf, type Reference } from "../state/freshness.ts";
import { maintenanceReason } from "../state/maintenance.ts";
import { momentText } from "./moment.ts";
import type { NodeHistory, NodeReport } from "./report-schema.ts";
import { countTogether, daysBefore, uptimeBefore } from "./uptime.ts";

/** The evidence for a node's status: what every document of the report shows of it, and what its target's shows. */
export interface Evidence {
  readonly report: NodeReport;
  readonly history: NodeHistory;
  /** What was counted today. */
  readonly today: Count;
}

/** Hours tell more of a day than the day does, where runs are due often enough for each hour to have one. */
const longestIntervalForHours = 30;

/** The reference of a target, or undefined where there is none. */
export function referenceOf(
  state: State | undefined,
  { system, project, target }: Pick<NetworkNode, "system" | "project" | "target">,
): Reference | undefined {
  return state?.references[`${system}/${project}/${target}`];
}

/**
 * The evidence that a state has of a node at a moment (epoch milliseconds). Nothing in it is of a single run: it is
 * the same until the status, the content, the certificate, a maintenance or the day changes.
 */
export function evidenceOf(
  { maintenance, site }: Config,
  node: NetworkNode,
  state: State | undefined,
  at: number,
): Evidence {
  const { id, name, url } = node;
  const known = state?.nodes[id];
  const freshness = freshnessOf(tipOf(known), referenceOf(state, node));
  const tallies = Object.values(state?.vantages ?? {}).map(({ nodes }) => nodes[id]);
  const hours = countTogether(tallies.map((tally) => tally?.[1] ?? ""));
  const days = countTogether(tallies.map((tally) => tally?.[2] ?? ""));
  const today = Math.floor(at / dayMs);
  const report: NodeReport = {
    id,
    name,
    url,
    status: statusesOf([node], state).get(id) ?? 0,
    code: known?.code,
    sentence: known?.code && codeSentences[known.code],
    since: known && momentText(known.since),
    http_status: known?.httpStatus,
    revision: known?.revision,
    branch: known?.branch || undefined,
    freshness: freshness.state,
    behind_since: behindSince(freshness),
    tls_expires_at: known?.tlsExpiresAt === undefined ? undefined : momentText(known.tlsExpiresAt),
    maintenance: maintenanceReason(maintenance, node, at),
    uptime: {
      "24h":
        site.intervalMinutes > longestIntervalForHours
          ? uptimeBefore(days, today, 1)
          : uptimeBefore(hours, today * 24, 24),
      "7d": uptimeBefore(days, today, 7),
      "30d": uptimeBefore(days, today, 30),
      "90d": uptimeBefore(days, today, 90),
    },
  };
  const transitions = transitionsOf(known);
  return {
    report,
    history: { ...report, days: daysBefore(days, today), transitions },
    today: days.get(today) ?? nothing,
  };
}

function tipOf(known: NodeState | undefined): Parameters<typeof freshnessOf>[0] {
  if (known?.revision === undefined) return undefined;
  return { revision: known.revision, branch: known.branch ?? "" };
}

function behindSince(freshness: Freshness): string | undefined {
  return freshness.state === "behind" ? momentText(freshness.behindSince) : undefined;
}

function transitionsOf(known: NodeState | undefined): NodeHistory["transitions"] {
  const oldestFirst = (known?.transitions ?? []).map(([at, status, code], index, all) => {
    const [before] = all[index - 1] ?? [];
    const lasted = before === undefined ? undefined : Math.round((at - before) / 1000);
    return { at: momentText(at), status, code, after_seconds: lasted };
  });
  return oldestFirst.toReversed();
}
