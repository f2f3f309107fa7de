import { type SiteFile } from "../../base/files/site-file.ts";
import { jsonText } from "../../contract/contract.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import {
  type Feed,
  type FeedNode,
  nodesOf,
  type Project,
  type Target,
  targetsOf,
  type Transition,
} from "../../feed/feed.ts";
import type { Days, UptimeWindow } from "../../feed/uptime.ts";
import type { Count } from "../../state/counts.ts";
import { type Heartbeat, type RunCounts } from "./heartbeat-schema.ts";
import {
  latencyDays,
  type NodeHistory,
  type NodeReport,
  type ProjectReport,
  type SystemReport,
  type TargetHistory,
  type TargetReport,
} from "./report-schema.ts";

/** The folder of the report. Its paths are those of the contract. */
export const reportRoot = "v1/report";

/** Returns the report: the heartbeat, and a document for each system, project and target. */
export function renderReport(feed: Feed): SiteFile[] {
  return [
    file([], () => heartbeat(feed)),
    ...feed.systems.flatMap(({ system, projects }) => [
      file([system], () => ({ system, projects: projects.map(projectOutline) })),
      ...projects.map((project) => file([system, project.project], () => projectReport(project))),
    ]),
    ...targetsOf(feed.systems).map((target) => file([target.place], () => targetHistory(target))),
  ];
}

/** Returns the heartbeat: the values of the feed and of each node that change with every run. */
export function heartbeat({ run, systems }: Feed): Heartbeat {
  const nodes = nodesOf(targetsOf(systems));
  return {
    ...run,
    nodes: nodes.map(({ id, status, observed, today, last24h }) => {
      return { id, status, today: countsOf(today), last_24h: countsOf(last24h), ...observed };
    }),
  };
}

/** Returns the counts of runs without the zeros. */
function countsOf({ ok, failed, unobserved }: Count): RunCounts {
  return { ok: ok || undefined, failed: failed || undefined, unobserved: unobserved || undefined };
}

function projectOutline({ project, targets }: Project): SystemReport["projects"][number] {
  const outlines = targets.map(({ target, nodes }) => {
    return { target, nodes: nodes.length, online: nodes.filter(({ status }) => status === 1).length };
  });
  return { project, targets: outlines };
}

function projectReport({ project, targets }: Project): ProjectReport {
  return { project, targets: targets.map(targetReport) };
}

/** Returns the report on a target in the document of its project. */
export function targetReport(target: Target): TargetReport {
  return { ...targetFields(target), network: target.nodes.map(nodeReport) };
}

/** Returns the report on a target in its own document, with the days and the transitions of its nodes. */
export function targetHistory(target: Target): TargetHistory {
  return { ...targetFields(target), network: target.nodes.map(nodeHistory) };
}

/** Returns the days without the columns that have only zeros, and without the range of latencies of those long ago. */
function daysOf(days: Days | undefined): NodeHistory["days"] {
  if (days === undefined) return undefined;
  const { from, ok, failed, unobserved, latency_ms } = days;
  const { mean, min, max } = latency_ms;
  const column = (counts: readonly number[]): number[][] | undefined =>
    counts.some((count) => count > 0) ? runLengths(counts) : undefined;
  return {
    from,
    ok: runLengths(ok),
    failed: column(failed),
    unobserved: column(unobserved),
    latency_ms: { mean, min: min.slice(-latencyDays), max: max.slice(-latencyDays) },
  };
}

/** Returns counts as pairs: a count, and the number of its repetitions in a row. */
function runLengths(counts: readonly number[]): number[][] {
  const lengths: [count: number, length: number][] = [];
  for (const count of counts) {
    const last = lengths.at(-1);
    if (last?.[0] === count) last[1] += 1;
    else lengths.push([count, 1]);
  }
  return lengths;
}

function withSentence({ at, status, code, after_seconds }: Transition): NodeHistory["transitions"][number] {
  return { at, status, code, sentence: sentenceOf(code), after_seconds };
}

function targetFields({
  target,
  primary,
  reference,
}: Target): Pick<TargetReport, "target" | "primary" | "reference"> {
  if (reference === undefined) return { target, primary };
  const { revision, branch, since, content_at, refs, rewritten } = reference;
  return {
    target,
    primary,
    reference: {
      revision,
      branch,
      since,
      content_at,
      refs,
      rewritten: rewritten.length > 0 ? rewritten : undefined,
    },
  };
}

function nodeReport(node: FeedNode): NodeReport {
  return {
    id: node.id,
    name: node.name,
    url: node.url,
    status: node.status,
    code: node.code,
    since: node.since,
    unverified_since: node.unverified_since,
    freshness: node.freshness,
    behind_since: node.behind_since,
    content_code: node.content_code,
    tls_expires_at: node.tls_expires_at,
    maintenance: node.maintenance,
    uptime: { "90d": windowOf(node.uptime["90d"]) },
  };
}

function windowOf({ ratio, coverage }: UptimeWindow): NodeReport["uptime"]["90d"] {
  return { ratio, coverage: coverage === 1 ? undefined : coverage };
}

function nodeHistory(node: FeedNode): NodeHistory {
  const { code } = node;
  return {
    id: node.id,
    name: node.name,
    url: node.url,
    status: node.status,
    code,
    sentence: code === undefined || code === "ok" ? undefined : sentenceOf(code, node),
    since: node.since,
    http_status: node.http_status,
    phase: node.phase,
    cause: node.cause,
    unverified_since: node.unverified_since,
    revision: node.revision,
    branch: node.branch,
    freshness: node.freshness,
    behind_since: node.behind_since,
    lag_seconds: node.lag_seconds,
    content_at: node.content_at,
    content_code: node.content_code,
    difference: node.difference,
    refs_unread: node.refs_unread,
    last_reachable: node.last_reachable,
    tls_expires_at: node.tls_expires_at,
    maintenance: node.maintenance,
    country: node.country,
    weight: node.weight,
    uptime: {
      "24h": windowOf(node.uptime["24h"]),
      "7d": windowOf(node.uptime["7d"]),
      "30d": windowOf(node.uptime["30d"]),
      "90d": windowOf(node.uptime["90d"]),
    },
    days: daysOf(node.days()),
    transitions: node.transitions.map(withSentence),
  };
}

function file(
  names: readonly string[],
  make: () => Heartbeat | SystemReport | ProjectReport | TargetHistory,
): SiteFile {
  return { path: [reportRoot, ...names, "index.json"].join("/"), content: () => jsonText(make()) };
}
