import type { SiteFile } from "../../base/files/site-file.ts";
import { jsonText } from "../../contract/contract.ts";
import { type Count, type Feed, nodesOf, type Project, type Target, targetsOf } from "../../feed/feed.ts";
import type { Days, UptimeWindow } from "../../feed/uptime.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import {
  type Heartbeat,
  latencyDays,
  type ProjectReport,
  type SystemReport,
  type TargetHistory,
} from "./report-schema.ts";

/** Returns the report: the heartbeat, and a document for each system, project and target. Its paths are those of the contract. */
export function renderReport(feed: Feed): SiteFile[] {
  return [
    file("v1/report", () => heartbeat(feed)),
    ...feed.systems.flatMap(({ system, projects }) => [
      file(`v1/report/${system}`, () => systemReport(system, projects)),
      ...projects.map((project) =>
        file(`v1/report/${system}/${project.project}`, () => projectReport(project)),
      ),
    ]),
    ...targetsOf(feed.systems).map((target) =>
      file(`v1/report/${target.place}`, () => targetHistory(target)),
    ),
  ];
}

function file(folder: string, document: () => object): SiteFile {
  return { path: `${folder}/index.json`, content: () => jsonText(document()) };
}

/** Returns the heartbeat: the values of the feed and of each node that change with every run. */
export function heartbeat({ run, systems }: Feed): Heartbeat {
  const nodes = nodesOf(targetsOf(systems));
  // A count of zero is left out.
  const counts = ({ ok, failed, unobserved }: Count) => {
    return { ok: ok || undefined, failed: failed || undefined, unobserved: unobserved || undefined };
  };
  return {
    ...run,
    nodes: nodes.map(({ id, status, observed, today, last24h }) => {
      return { id, status, today: counts(today), last_24h: counts(last24h), ...observed };
    }),
  };
}

function systemReport(system: string, projects: readonly Project[]): SystemReport {
  return {
    system,
    projects: projects.map(({ project, targets }) => ({
      project,
      targets: targets.map(({ target, nodes }) => {
        return { target, nodes: nodes.length, online: nodes.filter(({ status }) => status === 1).length };
      }),
    })),
  };
}

function projectReport({ project, targets }: Project): ProjectReport {
  return {
    project,
    targets: targets.map((target) => ({
      ...targetFields(target),
      network: target.nodes.map((node) => ({
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
        uptime: { "90d": uptimeOf(node.uptime["90d"]) },
      })),
    })),
  };
}

export function targetHistory(target: Target): TargetHistory {
  return {
    ...targetFields(target),
    network: target.nodes.map((node) => ({
      id: node.id,
      name: node.name,
      url: node.url,
      status: node.status,
      code: node.code,
      sentence: node.code === undefined || node.code === "ok" ? undefined : sentenceOf(node.code, node),
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
        "24h": uptimeOf(node.uptime["24h"]),
        "7d": uptimeOf(node.uptime["7d"]),
        "30d": uptimeOf(node.uptime["30d"]),
        "90d": uptimeOf(node.uptime["90d"]),
      },
      days: daysOf(node.days()),
      transitions: node.transitions.map(({ at, status, code, after_seconds }) => {
        return { at, status, code, sentence: sentenceOf(code), after_seconds };
      }),
    })),
  };
}

function targetFields({ target, primary, reference }: Target) {
  if (reference === undefined) return { target, primary };
  const { revision, branch, since, content_at, refs, rewritten: tags } = reference;
  const rewritten = tags.length > 0 ? tags : undefined;
  return { target, primary, reference: { revision, branch, since, content_at, refs, rewritten } };
}

function uptimeOf({ ratio, coverage }: UptimeWindow) {
  return { ratio, coverage: coverage === 1 ? undefined : coverage };
}

/** Returns the days without the columns that have only zeros, and without the range of latencies of those long ago. */
function daysOf(days: Days | undefined): TargetHistory["network"][number]["days"] {
  if (days === undefined) return undefined;
  const { from, ok, failed, unobserved, latency_ms } = days;
  const { mean, min, max } = latency_ms;
  return {
    from,
    ok: runLengths(ok),
    failed: failed.some(Boolean) ? runLengths(failed) : undefined,
    unobserved: unobserved.some(Boolean) ? runLengths(unobserved) : undefined,
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
