import { group } from "../base/text/group.ts";
import { isoTimestamp, timestampIfAny } from "../base/text/timestamp.ts";
import type { NoticeFile, NoticeUpdate } from "../config/notice.ts";
import type { Config } from "../config/config-schema.ts";
import { type Former, type State, transitionsKept } from "../state/state-schema.ts";
import { isNamedBy } from "../config/nodes.ts";
import type { FeedNode } from "./feed-node.ts";
import type { Run } from "./feed-run.ts";

/** A notice with its texts as safe HTML. */
export interface NoticeText extends NoticeFile {
  readonly html: string;
  readonly updates: readonly (NoticeUpdate & { readonly html: string })[];
}

type Targets = readonly { readonly nodes: readonly FeedNode[] }[];

export type NodeTransition = ReturnType<typeof newestTransitions>[number];
export type NodeContentChange = ReturnType<typeof newestContentChanges>[number];

/** An outage of one or more mirrors of a host, for one reason. All its times are times of runs, in ISO 8601. */
export type Incident = Readonly<ReturnType<typeof incidentsOf>[number]>;

/** Returns the newest incidents first. `gone` counts an incident's nodes that have left the feed. */
export function incidentsOf(state: State | undefined, nodes: readonly FeedNode[]) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return Object.entries(state?.incidents ?? {})
    .map(([id, { host, code, start, end, outages, gone = 0 }]) => ({
      id,
      host,
      code,
      start: isoTimestamp(start),
      end: timestampIfAny(end),
      /** Sorted by start. A node that failed several times has several outages. An ongoing outage has no `to`. */
      outages: outages.flatMap(([nodeId, from, to]) => {
        const node = byId.get(nodeId);
        return node === undefined ? [] : [{ node, from: isoTimestamp(from), to: timestampIfAny(to) }];
      }),
      gone: gone + new Set(outages.flatMap(([nodeId]) => (byId.has(nodeId) ? [] : [nodeId]))).size,
    }))
    .sort((one, other) => compare(other.start, one.start));
}

export function incidentsByNode(incidents: readonly Incident[]): Map<FeedNode, Incident[]> {
  return group(
    incidents.flatMap((incident) => nodesOfIncident(incident).map((node) => [node, incident] as const)),
  );
}

export function nodesOfIncident({ outages }: Pick<Incident, "outages">): FeedNode[] {
  return [...new Set(outages.map(({ node }) => node))];
}

/** An operator's notice about some mirrors, or an announcement, which has no `nodes`. */
export type Notice = Readonly<ReturnType<typeof noticesOf>[number]>;

/** Returns the newest notices first. */
export function noticesOf(notices: readonly NoticeText[], nodes: readonly FeedNode[], former?: Former) {
  return notices
    .map(({ nodes: ids, gone, from, to, next, updates, ...notice }) => ({
      ...notice,
      /** Names of mirrors and paths that are not in the feed. An id stands for a mirror without a known name. */
      gone: gone.map((name) => former?.nodes[name]?.node.name ?? name),
      nodes: ids && nodes.filter(({ id }) => ids.has(id)),
      from: isoTimestamp(from),
      to: timestampIfAny(to),
      next: timestampIfAny(next),
      updates: updates.map(({ at, ...update }) => ({ ...update, at: isoTimestamp(at) })),
    }))
    .sort((one, other) => compare(other.from, one.from));
}

/** Returns whether a notice and an incident share a mirror and overlap in time. */
export function overlaps(notice: Notice, incident: Incident): boolean {
  const isTogether =
    notice.from <= (incident.end ?? notice.from) && incident.start <= (notice.to ?? incident.start);
  if (!isTogether || notice.nodes === undefined) return false;
  const own = new Set(notice.nodes);
  return incident.outages.some(({ node }) => own.has(node));
}

export function isCurrent({ from, to }: Pick<Notice, "from" | "to">, at: string): boolean {
  return from <= at && (to === undefined || at < to);
}

/** Returns the notices that are current at the last run, newest first. */
export function currentNotices(feed: {
  readonly notices: readonly Notice[];
  readonly run: Pick<Run, "generated_at">;
}): Notice[] {
  return feed.notices.filter((notice) => isCurrent(notice, feed.run.generated_at));
}

/** Returns whether the scope of a maintenance window or notification rule includes a node. */
export function isInScope(scope: string | number, node: FeedNode): boolean {
  return isNamedBy(scope, node, node.target);
}

/** A maintenance window, in which mirrors keep their status. `subject` is a mirror's name, a host or a path. */
export type Maintenance = Readonly<ReturnType<typeof maintenanceOf>[number]>;

export function maintenanceOf(windows: Config["maintenance"], nodes: readonly FeedNode[]) {
  return windows
    .map(({ scope, from, to, reason }) => {
      const own = nodes.filter((node) => isInScope(scope, node));
      return {
        scope,
        subject: typeof scope === "string" ? scope : (own[0]?.name ?? String(scope)),
        from: isoTimestamp(Date.parse(from)),
        to: isoTimestamp(Date.parse(to)),
        reason,
        nodes: new Set(own),
      };
    })
    .sort((one, other) => compare(one.from, other.from));
}

/** Returns the maintenance windows that have not ended, for all nodes or for the given ones. */
export function comingMaintenance(
  feed: { readonly maintenance: readonly Maintenance[]; readonly run: Pick<Run, "generated_at"> },
  nodes?: readonly FeedNode[],
): Maintenance[] {
  return feed.maintenance.filter(
    ({ to, nodes: own }) => feed.run.generated_at < to && (nodes?.some((node) => own.has(node)) ?? true),
  );
}

/**
 * Returns up to `max` transitions, newest first, and in node order within a run. Leaves out the oldest one that the
 * state can keep for a node, because it loses its `after_seconds`, and published entries must not change.
 */
export function newestTransitions(targets: Targets, max: number) {
  return newest(targets, max, ({ transitions }) => transitions.slice(0, transitionsKept - 1));
}

/** Returns up to `max` changes of freshness and certificates, in the same order as `newestTransitions`. */
export function newestContentChanges(targets: Targets, max: number) {
  return newest(targets, max, ({ changes }) => changes);
}

function newest<Change extends { readonly at: string }>(
  targets: Targets,
  max: number,
  changesOf: (node: FeedNode) => readonly Change[],
): (Change & { readonly node: FeedNode })[] {
  return targets
    .flatMap(({ nodes }) => nodes)
    .flatMap((node) => changesOf(node).map((change) => ({ ...change, node })))
    .sort((one, other) => compare(other.at, one.at))
    .slice(0, max);
}

export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
