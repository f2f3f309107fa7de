import type { SiteFile } from "../base/files/site-file.ts";
import { isoDay } from "../base/text/timestamp.ts";
import { documentPath, jsonText, reportRoot } from "../contract/contract.ts";
import { type Feed, nodesOf, type Project, type Target, targetsOf } from "../feed/feed.ts";
import type { Day } from "../feed/uptime.ts";
import { sentenceOf, withoutKeyring } from "../kinds/kinds.ts";
import { targetWarnings } from "../kinds/mirror-content.ts";
import { latencyDays, nodeHistory, nodeReport, reference, transition } from "./report-schema.ts";
import type { Count } from "../state/counts.ts";
import type { FeedNode } from "../feed/feed-node.ts";
import { verdictOf } from "../feed/verdict.ts";

/** Returns the heartbeat, and a report for each system, project and target, at the same paths as the contract's. */
export function renderReport(feed: Feed): SiteFile[] {
  return [
    file([], () => heartbeat(feed)),
    ...feed.systems.flatMap(({ system, projects }) => [
      file([system], () => systemReport(system, projects)),
      ...projects.map((project) => file([system, project.project], () => projectReport(project))),
    ]),
    ...targetsOf(feed.systems).map((target) => file([target.place], () => targetHistory(target))),
  ];
}

function file(names: readonly string[], document: () => object): SiteFile {
  return { path: documentPath(reportRoot, ...names), content: () => jsonText(document()) };
}

/** Contains everything that changes with every run. */
export function heartbeat({ run, url, systems }: Feed) {
  const counts = ({ ok, failed, unobserved }: Count) => {
    return { ok: ok || undefined, failed: failed || undefined, unobserved: unobserved || undefined };
  };
  return {
    ...run,
    site_url: url,
    nodes: nodesOf(targetsOf(systems)).map(({ id, status, observed, today, last24h }) => {
      return { id, status, today: counts(today), last_24h: counts(last24h), ...observed };
    }),
  };
}

function systemReport(system: string, projects: readonly Project[]): object {
  return {
    system,
    projects: projects.map(({ project, targets }) => ({
      project,
      targets: targets.map(({ target, nodes }) => {
        const online = nodes.filter(({ status }) => status === 1).length;
        return { target, state: verdictOf([{ nodes }]).state, nodes: nodes.length, online };
      }),
    })),
  };
}

function projectReport({ project, targets }: Project): object {
  return {
    project,
    targets: targets.map((target) => ({
      ...targetFields(target),
      network: target.nodes.map((node) => fieldsOf(nodeReport, { ...node, uptime: uptimes(node, "90d") })),
    })),
  };
}

export function targetHistory(target: Target): object {
  return {
    ...targetFields(target),
    network: target.nodes.map((node) =>
      fieldsOf(nodeHistory, {
        ...node,
        sentence: node.code === undefined || node.code === "ok" ? undefined : sentenceOf(node.code, node),
        options: Object.keys(node.options).length > 0 ? withoutKeyring(node.options) : undefined,
        uptime: uptimes(node, "24h", "7d", "30d", "90d"),
        days: daysOf(node.days()),
        transitions: node.transitions.map((one) =>
          fieldsOf(transition, { ...one, sentence: sentenceOf(one.code) }),
        ),
      }),
    ),
  };
}

function targetFields({ target, primary, reference: compared, warnings: codes }: Target): object {
  const warnings = codes.map((code) => ({ code, sentence: targetWarnings[code] }));
  const rewritten = compared?.rewritten.length === 0 ? undefined : compared?.rewritten;
  return {
    target,
    primary,
    reference: compared && fieldsOf(reference, { ...compared, rewritten }),
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

/** Picks a schema's fields, in the schema's order. */
function fieldsOf({ shape }: { readonly shape: object }, values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, values[name]]));
}

function uptimes({ uptime }: FeedNode, ...windows: (keyof FeedNode["uptime"])[]): object {
  return Object.fromEntries(
    windows.map((window) => {
      const { ratio, coverage } = uptime[window];
      return [window, { ratio, coverage: coverage === 1 ? undefined : coverage }];
    }),
  );
}

/** Leaves out columns of zeros, and the minimum and maximum latencies of older days. */
function daysOf(days: readonly Day[]): object | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  const failed = days.map((day) => day.failed);
  const unobserved = days.map((day) => day.unobserved);
  const recent = days.slice(-latencyDays);
  return {
    from: isoDay(first.day),
    ok: runLengths(days.map(({ ok }) => ok)),
    failed: failed.some(Boolean) ? runLengths(failed) : undefined,
    unobserved: unobserved.some(Boolean) ? runLengths(unobserved) : undefined,
    latency_ms: {
      mean: days.map(({ mean }) => mean),
      min: recent.map(({ min }) => min),
      max: recent.map(({ max }) => max),
    },
  };
}

/** Encodes `[48, 48, 47]` as `[[48, 2], [47, 1]]`. */
function runLengths(counts: readonly number[]): number[][] {
  const lengths: [count: number, length: number][] = [];
  for (const count of counts) {
    const last = lengths.at(-1);
    if (last?.[0] === count) last[1] += 1;
    else lengths.push([count, 1]);
  }
  return lengths;
}
