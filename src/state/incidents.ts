import { hash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import { group } from "../base/text/group.ts";
import { hourMs } from "./counts.ts";
import type { NodeState } from "./document.ts";
import {
  type Incident,
  incidentKeptMs,
  type Incidents,
  incidentsKept,
  type Outage,
  outagesKept,
  outagesOfNode,
} from "./incident-document.ts";
import { byName } from "./entry-lines.ts";
import { mapValues } from "./map-values.ts";

/** A host that fails again for the same code within this time of an incident's end is the same incident. */
export const reopenMs = 6 * hourMs;

type Verdicts = Readonly<Record<string, Pick<NodeState, "status" | "code">>>;

/** The verdicts before and after a run, and its time in epoch milliseconds. */
export interface VerdictChange {
  readonly before: Verdicts | undefined;
  readonly after: Verdicts;
  readonly at: number;
}

/**
 * Returns the incidents after a run, or undefined if there are none. A change of a verdict to offline begins an incident of the
 * host and the code, or joins the one that lasts, or that ended less than six hours ago. An incident ends when all of its
 * nodes are online. The order of the nodes does not matter.
 */
export function updateIncidents(
  known: Incidents | undefined,
  nodes: readonly Node[],
  { before = {}, after, at }: VerdictChange,
): Incidents | undefined {
  const fallen = nodes.filter(({ id }) => before[id]?.status === 1 && after[id]?.status === 0);
  if (known === undefined && fallen.length === 0) return undefined;
  const ids = new Set(nodes.map(({ id }) => id));
  const incidents = new Map(Object.entries(withoutNodes(known ?? {}, (id) => !ids.has(id))));
  for (const [id, incident] of incidents) {
    const isOver = ([node, , to]: Outage): boolean => to === undefined && after[node]?.status !== 0;
    if (!incident.outages.some(isOver)) continue;
    const outages = incident.outages.map((outage): Outage => {
      const [node, from] = outage;
      return isOver(outage) ? [node, from, Math.max(from, at)] : outage;
    });
    incidents.set(id, { ...incident, outages });
  }
  for (const { host, code, nodes: fallenNodes } of groupByCause(fallen, after)) {
    const outages = fallenNodes.map(({ id }): Outage => [id, at]);
    const [id, same] = continued(incidents, host, code, at) ?? [
      newId(incidents, host, code, at),
      { host, code, start: at, outages: [] },
    ];
    incidents.set(id, { ...same, outages: withLimit([...same.outages, ...outages], fallenNodes) });
  }
  const ended = [...incidents].map(([id, incident]) => [id, withEnd(incident, at)] as const);
  const kept = withinLimits(ended, nodes.length, at);
  return kept.length === 0
    ? undefined
    : Object.fromEntries(kept.sort(([one], [other]) => byName(one, other)));
}

/** Returns the incidents without the nodes that have left the feed, or have another URL. Their number stays. */
export function withoutNodes(incidents: Incidents, hasLeft: (id: number) => boolean): Incidents {
  return mapValues(incidents, (incident) => {
    const left = new Set(incident.outages.map(([node]) => node).filter(hasLeft));
    if (left.size === 0) return incident;
    const outages = incident.outages.filter(([node]) => !left.has(node));
    return { ...incident, outages, gone: (incident.gone ?? 0) + left.size };
  });
}

/** Returns the nodes of each host and code, in the order of both. */
function groupByCause(
  nodes: readonly Node[],
  after: Verdicts,
): { readonly host: string; readonly code: string; readonly nodes: readonly Node[] }[] {
  const fallen = nodes.flatMap((node) => {
    const code = after[node.id]?.code;
    return code === undefined ? [] : [[`${node.host} ${code}`, { node, code }] as const];
  });
  return [...group(fallen)]
    .sort(([one], [other]) => byName(one, other))
    .map(([, own]) => {
      const [{ node, code }] = own;
      return { host: node.host, code, nodes: own.map((one) => one.node) };
    });
}

/** Returns the incident of a host and a code that lasts, or that ended last and not long ago. */
function continued(
  incidents: ReadonlyMap<string, Incident>,
  host: string,
  code: string,
  at: number,
): [id: string, incident: Incident] | undefined {
  const same = [...incidents].filter(
    ([, { end = Infinity, ...incident }]) =>
      incident.host === host && incident.code === code && at - end < reopenMs,
  );
  const [newest] = same.sort(
    ([oneId, one], [otherId, other]) =>
      (other.end ?? Infinity) - (one.end ?? Infinity) || byName(otherId, oneId),
  );
  return newest;
}

/** Returns a permanent id. Two incidents of one day have the same six digits once in millions of times. */
function newId(incidents: ReadonlyMap<string, Incident>, host: string, code: string, start: number): string {
  const digest = hash("sha256", JSON.stringify([host, code, start]));
  const day = new Date(start).toISOString().slice(0, 10);
  const short = `${day}-${digest.slice(0, 6)}`;
  return incidents.has(short) ? `${day}-${digest}` : short;
}

/** Returns the outages in order, with at most the newest eight of each of these nodes. */
function withLimit(outages: readonly Outage[], nodes: readonly Node[]): Outage[] {
  const sorted = outages.toSorted(([one, from], [other, otherFrom]) => from - otherFrom || one - other);
  const counts = new Map(nodes.map(({ id }) => [id, -outagesOfNode]));
  for (const [id] of sorted) counts.set(id, (counts.get(id) ?? -Infinity) + 1);
  return sorted.filter(([id]) => {
    const excess = counts.get(id) ?? 0;
    counts.set(id, excess - 1);
    return excess <= 0;
  });
}

/** Returns the incident with its end if no outage of it lasts, and without one otherwise. */
function withEnd(known: Incident, at: number): Incident {
  const { end, ...incident } = known;
  const isOpen = incident.outages.some(([, , to]) => to === undefined);
  if (isOpen === (end === undefined)) return known;
  if (isOpen) return incident;
  const last = incident.outages.reduce((latest, [, , to = 0]) => Math.max(latest, to), 0);
  return { ...incident, end: Math.max(at, last) };
}

type Entry = readonly [id: string, incident: Incident];

/**
 * Returns the incidents without those that ended long ago, and without the oldest ended ones above the limits. Of open ones
 * only outages that are over are left out, so that every outage that lasts stays.
 */
function withinLimits(incidents: readonly Entry[], nodes: number, at: number): Entry[] {
  const open = incidents.filter(([, { end }]) => end === undefined);
  const newestFirst = incidents
    .filter(([, { end }]) => end !== undefined && at - end < incidentKeptMs)
    .sort(([id, one], [otherId, other]) => (other.end ?? 0) - (one.end ?? 0) || byName(otherId, id));
  const limit = Math.max(outagesKept, nodes);
  const openKept = withoutOldOutages(open, limit);
  let left = limit - sizeOf(openKept);
  const ended = newestFirst.slice(0, Math.max(0, incidentsKept - open.length)).filter(([, { outages }]) => {
    left -= outages.length;
    return left >= 0;
  });
  return [...openKept, ...ended];
}

function withoutOldOutages(open: readonly Entry[], limit: number): readonly Entry[] {
  const excess = sizeOf(open) - limit;
  if (excess <= 0) return open;
  const over = open
    .flatMap(([, { outages }]) => outages.filter(([, , to]) => to !== undefined))
    .sort(([one, , to = 0], [other, , otherTo = 0]) => to - otherTo || one - other);
  const dropped = new Set(over.slice(0, excess));
  return open.map(([id, incident]) => [
    id,
    { ...incident, outages: incident.outages.filter((outage) => !dropped.has(outage)) },
  ]);
}

function sizeOf(incidents: readonly Entry[]): number {
  return incidents.reduce((sum, [, { outages }]) => sum + outages.length, 0);
}
