import { hash } from "node:crypto";
import type { SiteFile } from "../../base/files/site-file.ts";
import { isoTimestamp } from "../../base/text/timestamp.ts";
import { jsonText } from "../../contract/contract.ts";
import { incidentPath } from "../../contract/page-paths.ts";
import {
  type Feed,
  type FeedNode,
  formatStates,
  type MirrorState,
  nodesOf,
  type Notice,
  type Target,
  targetsOf,
  verdictOf,
} from "../../feed/feed.ts";
import { comingMaintenance, isCurrent } from "../../feed/incidents.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import type { Component, StatuspageEvent, StatuspageSummary } from "./statuspage-schema.ts";

/**
 * Returns the status and the summary at the paths of Statuspage's public API, which aggregators request from any site. They
 * change only with a mirror, a maintenance or a notice.
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

/** By the state of the best mirror. Statuspage has no word for `unknown`, which is not operational either. */
const statuses: Readonly<Record<MirrorState, Component["status"]>> = {
  offline: "major_outage",
  wrong: "major_outage",
  differs: "degraded_performance",
  behind: "degraded_performance",
  maintenance: "under_maintenance",
  unknown: "degraded_performance",
  online: "operational",
};

const indicators = {
  major_outage: "major",
  degraded_performance: "minor",
  under_maintenance: "maintenance",
  operational: "none",
} as const;

/** Targets are degraded too if their best mirror is online and another needs attention: their pages and badges are amber. */
function statusOf(targets: readonly Target[]): Component["status"] {
  const { state, attention } = verdictOf(targets);
  return statuses[state === "online" && attention > 0 ? "behind" : state];
}

function summaryOf(feed: Feed): StatuspageSummary {
  const { site, url = "", systems, verdict } = feed;
  const components = componentsOf(feed);
  const events = eventsOf(feed, components);
  const times = [...components, ...events.incidents].map(({ updated_at }) => updated_at).sort();
  const indicator = indicators[statusOf(targetsOf(systems))];
  const isDown = components.every(({ status }) => status === "major_outage");
  return {
    page: {
      ...{ id: pageId(feed), name: site.title, url, time_zone: "Etc/UTC" },
      updated_at: times.at(-1) ?? isoTimestamp(0),
    },
    status: {
      indicator: isDown ? "critical" : indicator,
      description: indicator === "none" ? "All Systems Operational" : formatStates(verdict.counts),
    },
    components,
    ...events,
  };
}

/** Returns an id that depends neither on the URL nor on the title of the site. */
function pageId({ systems }: Feed): string {
  return idOf(nodesOf(targetsOf(systems))[0]?.url ?? "");
}

function componentsOf(feed: Feed): Component[] {
  return targetsOf(feed.systems).map((target, index) => {
    const changes = changeTimes(feed, target.nodes);
    return {
      ...{ id: idOf(target.place), name: target.place, status: statusOf([target]) },
      description: formatStates(verdictOf([target]).counts),
      created_at: changes[0] ?? isoTimestamp(0),
      updated_at: changes.at(-1) ?? isoTimestamp(0),
      ...{ position: index + 1, page_id: pageId(feed), group: false, group_id: null, start_date: null },
      ...{ showcase: false, only_show_if_degraded: false },
    };
  });
}

type EventStatus = StatuspageEvent["status"];
type Update = readonly [at: string, status: EventStatus, body: string];

/** Returns the incidents that last, those of notices too, and the maintenance that has not ended. */
function eventsOf(feed: Feed, components: readonly Component[]) {
  const now = feed.run.generated_at;
  const page_id = pageId(feed);
  const eventOf = (
    [name, title, status]: readonly [name: string, title: string, status: EventStatus],
    nodes: Iterable<FeedNode>,
    from: string,
    updates: readonly Update[],
    schedule?: Pick<StatuspageEvent, "scheduled_for" | "scheduled_until">,
  ): StatuspageEvent => {
    const id = idOf(name);
    const places = new Set([...nodes].map(({ target }) => target.place));
    const affected = components.filter((component) => places.has(component.name));
    const isDown = affected.some((component) => component.status === "major_outage");
    const path = schedule === undefined ? incidentPath(name) : "/";
    return {
      ...{ id, name: title, status, impact: schedule ? "maintenance" : isDown ? "major" : "minor" },
      ...{ created_at: from, started_at: from, updated_at: updates[0]?.[0] ?? from },
      ...{ monitoring_at: null, resolved_at: null, ...schedule },
      ...{ shortlink: feed.url === undefined ? "" : `${feed.url}${path}`, page_id },
      incident_updates: updates.map(([at, state, body]) => ({
        ...{ id: idOf(`${name} ${at}`), incident_id: id, status: state, body: body.trim() },
        ...{ created_at: at, updated_at: at, display_at: at, affected_components: null },
      })),
      components: affected,
    };
  };
  const found = feed.incidents.flatMap(({ id, host, code, start, outages }) => {
    const nodes = new Set(outages.filter(({ to }) => to === undefined).map(({ node }) => node));
    const [first] = nodes;
    if (first === undefined) return [];
    const title =
      nodes.size > 1 ? `${nodes.size} mirrors at ${host} are offline` : `${first.name} is offline`;
    const status = "investigating";
    return [eventOf([id, title, status], nodes, start, [[start, status, sentenceOf(code)]])];
  });
  const written = feed.notices.flatMap((notice) => {
    const { name, title, from, nodes, updates, markdown } = notice;
    const state = statusOfNotice(notice);
    if (nodes === undefined || state === undefined || !isCurrent(notice, now)) return [];
    const texts = updates.map((update): Update => [
      update.at,
      statusOfNotice(update) ?? state,
      update.markdown,
    ]);
    return [
      eventOf([name, title, state], nodes, from, [
        ...texts,
        [from, updates.length === 0 ? state : "investigating", markdown],
      ]),
    ];
  });
  const planned = comingMaintenance(feed).map(({ scope, subject, from, to, reason, nodes }) => {
    const status = from <= now ? "in_progress" : "scheduled";
    const schedule = { scheduled_for: from, scheduled_until: to };
    const names = [`maintenance ${scope} ${from}`, `Maintenance: ${subject}`, status] as const;
    return eventOf(names, nodes, from, [[from, status, reason]], schedule);
  });
  return { incidents: [...found, ...written], scheduled_maintenances: planned };
}

/** Returns the status of an incident, or undefined if the operator says that it is planned or over. */
function statusOfNotice({ state = "investigating" }: Pick<Notice, "state">): EventStatus | undefined {
  return state === "planned" || state === "resolved" ? undefined : state;
}

/** Returns when these mirrors and their maintenance changed, up to the last run, the oldest first. */
function changeTimes({ maintenance, run }: Feed, nodes: readonly FeedNode[]): string[] {
  const own = nodes.flatMap(({ since, behind_since, content_since, transitions, changes }) => [
    ...[since, behind_since, content_since],
    ...[...transitions, ...changes].map(({ at }) => at),
  ]);
  const windows = maintenance
    .filter((window) => nodes.some((node) => window.nodes.has(node)))
    .flatMap(({ from, to }) => [from, to]);
  return [...own, ...windows]
    .flatMap((time = "") => (time !== "" && time <= run.generated_at ? [time] : []))
    .sort();
}

/** Returns an id for a name, always the same for the same name. Those of Statuspage have 12 letters and digits too. */
function idOf(name: string): string {
  return hash("sha256", name).slice(0, 12);
}
