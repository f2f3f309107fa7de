import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { jsonText } from "../hosts/contract.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import {
  type Feed,
  type Node,
  nodesOf,
  type Project,
  type Target,
  targetsOf,
  type Transition,
} from "../model/feed.ts";
import type { Days } from "../model/uptime.ts";
import type { Count } from "../state/counts.ts";
import type {
  Heartbeat,
  NodeHistory,
  NodeReport,
  ProjectReport,
  RunCounts,
  SystemReport,
  TargetHistory,
  TargetReport,
} from "./report-schema.ts";

/** The folder of the report. Its paths are those of the contract. */
export const reportRoot = "v1/report";

/** Returns the report: the heartbeat, and a document for each system, project and target. */
export function renderReport(feed: Feed): SiteFile[] {
  return [
    file([], () => heartbeat(feed)),
    ...feed.systems.flatMap(({ system, projects }) => [
      file([system], () => ({ system, projects: projects.map(projectReport) })),
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

function projectReport({ project, targets }: Project): ProjectReport {
  return { project, targets: targets.map(targetReport) };
}

/** Returns the report on a target in the documents of its project and its system. */
export function targetReport(target: Target): TargetReport {
  return { ...targetFields(target), network: target.nodes.map(nodeReport) };
}

/** Returns the report on a target in its own document, with the days and the transitions of its nodes. */
export function targetHistory(target: Target): TargetHistory {
  const network = target.nodes.map((node) => {
    return {
      ...nodeReport(node),
      days: daysOf(node.days()),
      transitions: node.transitions.map(withSentence),
    };
  });
  return { ...targetFields(target), network };
}

/** Returns the days without the columns that have only zeros. */
function daysOf(days: Days | undefined): NodeHistory["days"] {
  if (days === undefined) return undefined;
  const { from, ok, failed, unobserved, latency_ms } = days;
  const column = (counts: readonly number[]): readonly number[] | undefined =>
    counts.some((count) => count > 0) ? counts : undefined;
  return { from, ok, failed: column(failed), unobserved: column(unobserved), latency_ms };
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

function nodeReport({ id, name, url, status, code, ...node }: Node): NodeReport {
  return {
    id,
    name,
    url,
    status,
    code,
    sentence: code && sentenceOf(code, node),
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
    uptime: node.uptime,
  };
}

function file(
  names: readonly string[],
  make: () => Heartbeat | SystemReport | ProjectReport | TargetHistory,
): SiteFile {
  return new LazyFile([reportRoot, ...names, "index.json"].join("/"), () => jsonText(make()));
}
