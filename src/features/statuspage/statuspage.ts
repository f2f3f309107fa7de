import { hash } from "node:crypto";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import { jsonText } from "../../core/contract/contract.ts";
import { incidentPath } from "../../core/feed/page-paths.ts";
import { type Feed, nodesOf, type Target, targetsOf } from "../../core/feed/feed.ts";
import { comingMaintenance, isCurrent, type Notice } from "../../core/feed/incidents.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { formatStates, verdictOf } from "../../core/feed/verdict.ts";

/**
 * Returns the status and the summary at the paths of Statuspage's public API (https://metastatuspage.com/api), since
 * aggregators request these paths from any site. Both documents have every field that strictly typed clients need, and
 * change only when a mirror, maintenance or a notice does.
 */
export function renderStatuspage(feed: Feed): SiteFile[] {
  const statusText = (): string => {
    const { page, status } = summaryOf(feed);
    return jsonText({ page, status });
  };
  return [
    { path: "api/v2/status.json", content: statusText },
    { path: "api/v2/summary.json", content: () => jsonText(summaryOf(feed)) },
  ];
}

const statuses = { red: "major_outage", amber: "degraded_performance", green: "operational" } as const;

const indicators = {
  major_outage: "major",
  degraded_performance: "minor",
  under_maintenance: "maintenance",
  operational: "none",
} as const;

/** Statuspage has no status for `unknown`. */
function statusOf(targets: readonly Target[]) {
  const { state, color } = verdictOf(targets);
  if (color !== "grey") return statuses[color];
  return state === "maintenance" ? "under_maintenance" : "degraded_performance";
}

function summaryOf(feed: Feed) {
  const { site, url = "", systems, verdict } = feed;
  const targets = targetsOf(systems);
  // Must not change with the site's URL or title.
  const page_id = idOf(nodesOf(targets)[0]?.url ?? "");
  const components = targets.map((target, index) => ({
    ...{ id: idOf(target.place), name: target.place, status: statusOf([target]) },
    description: formatStates(verdictOf([target]).counts),
    ...changeTimes(feed, target.nodes),
    ...{ position: index + 1, page_id, group: false, group_id: null, start_date: null },
    ...{ showcase: false, only_show_if_degraded: false },
  }));
  const eventOf = ({ name, title, status, nodes, from, to, path, updates }: StatusEvent) => {
    const id = idOf(name);
    const places = new Set([...nodes].map(({ target }) => target.place));
    const affected = components.filter((component) => places.has(component.name));
    const impact = affected.some((component) => component.status === "major_outage") ? "major" : "minor";
    return {
      ...{ id, name: title, status, impact: to === undefined ? impact : "maintenance", page_id },
      ...{ created_at: from, started_at: from, updated_at: updates[0]?.at ?? from },
      ...{ monitoring_at: null, resolved_at: null },
      ...(to !== undefined && { scheduled_for: from, scheduled_until: to }),
      shortlink: feed.url === undefined ? "" : `${feed.url}${path}`,
      incident_updates: updates.map(({ at, ...update }) => ({
        ...{ id: idOf(`${name} ${at}`), incident_id: id, status: update.status, body: update.body.trim() },
        ...{ created_at: at, updated_at: at, display_at: at, affected_components: null },
      })),
      components: affected,
    };
  };
  const incidents = [...foundIncidents(feed), ...writtenIncidents(feed)].map(eventOf);
  const times = [...components, ...incidents].map(({ updated_at }) => updated_at).sort();
  const isDown = components.every(({ status }) => status === "major_outage");
  const indicator = isDown ? "critical" : indicators[statusOf(targets)];
  const isOperational = components.every(({ status }) => status === "operational");
  const description = isOperational ? "All Systems Operational" : formatStates(verdict.counts);
  const updated_at = times.at(-1) ?? isoTimestamp(0);
  return {
    page: { id: page_id, name: site.title, url, time_zone: "Etc/UTC", updated_at },
    status: { indicator, description },
    components,
    incidents,
    scheduled_maintenances: maintenances(feed).map(eventOf),
  };
}

/** An ongoing incident, or maintenance that has not ended. */
interface StatusEvent {
  readonly name: string;
  readonly title: string;
  readonly status: string;
  readonly nodes: Iterable<FeedNode>;
  readonly from: string;
  /** Only for maintenance. */
  readonly to?: string;
  readonly path: string;
  /** Newest first. */
  readonly updates: readonly { readonly at: string; readonly status: string; readonly body: string }[];
}

function foundIncidents({ incidents }: Feed): StatusEvent[] {
  return incidents.flatMap(({ id, host, code, start, outages }) => {
    const nodes = outages.flatMap(({ node, to }) => (to === undefined ? node : []));
    const [first] = nodes;
    if (first === undefined) return [];
    const title =
      nodes.length > 1 ? `${nodes.length} mirrors at ${host} are offline` : `${first.name} is offline`;
    const status = "investigating";
    const updates = [{ at: start, status, body: sentenceOf(code) }];
    return [{ name: id, title, status, nodes, from: start, path: incidentPath(id), updates }];
  });
}

function writtenIncidents({ notices, run }: Feed): StatusEvent[] {
  return notices.flatMap((notice) => {
    const { name, title, from, nodes, markdown } = notice;
    const status = statusOfNotice(notice);
    if (nodes === undefined || status === undefined || !isCurrent(notice, run.generated_at)) return [];
    const updates = notice.updates.map((update) => ({
      at: update.at,
      status: statusOfNotice(update) ?? status,
      body: update.markdown,
    }));
    const first = { at: from, status: updates.length === 0 ? status : "investigating", body: markdown };
    return [{ name, title, status, nodes, from, path: incidentPath(name), updates: [...updates, first] }];
  });
}

/** Returns undefined if the operator says that the incident is planned or over. */
function statusOfNotice({ state = "investigating" }: Pick<Notice, "state">): string | undefined {
  return state === "planned" || state === "resolved" ? undefined : state;
}

function maintenances(feed: Feed): StatusEvent[] {
  return comingMaintenance(feed).map(({ scope, subject, from, to, reason, nodes }) => {
    const status = from <= feed.run.generated_at ? "in_progress" : "scheduled";
    const name = `maintenance ${scope} ${from}`;
    const updates = [{ at: from, status, body: reason }];
    return { name, title: `Maintenance: ${subject}`, status, nodes, from, to, path: "/", updates };
  });
}

/** Returns the first and last time, up to the last run, at which the mirrors changed or maintenance began or ended. */
function changeTimes({ maintenance, run }: Feed, nodes: readonly FeedNode[]) {
  const times = [
    ...nodes.flatMap(({ since, behind_since, content_since, transitions, changes }) => [
      ...[since, behind_since, content_since],
      ...[...transitions, ...changes].map(({ at }) => at),
    ]),
    ...maintenance
      .filter((window) => nodes.some((node) => window.nodes.has(node)))
      .flatMap(({ from, to }) => [from, to]),
  ]
    .flatMap((time) => (time !== undefined && time <= run.generated_at ? [time] : []))
    .sort();
  return { created_at: times[0] ?? isoTimestamp(0), updated_at: times.at(-1) ?? isoTimestamp(0) };
}

/** Hashes a name to 12 letters and digits, the length of Statuspage's ids. */
function idOf(name: string): string {
  return hash("sha256", name).slice(0, 12);
}
