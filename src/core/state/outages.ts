import { hash } from "node:crypto";
import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import { fitting } from "./room.ts";
import {
  type Incident,
  type Incidents,
  incidentsKept,
  type NodeState,
  type Outage,
  outagesKept,
} from "./state-schema.ts";
import { dayMs, hourMs } from "../base/text/time.ts";
import { evidence } from "../kinds/kinds.ts";

/** If a host fails again with the same code within this time, its last incident is reopened. */
export const reopenMs = 6 * hourMs;
/** How long an incident is kept after its end. */
export const incidentKeptMs = 90 * dayMs;
export const outagesOfNode = 8;

type Verdicts = Readonly<Record<string, Pick<NodeState, "status" | "code">>>;

/**
 * Returns the incidents after a run, if any. A node that goes offline joins the incident of its host and code if that is
 * open or ended recently, or starts a new one. An incident ends once all of its nodes are online.
 */
export function updateIncidents(
  known: Incidents = {},
  nodes: readonly Node[],
  { before = {}, after, at }: { before: Verdicts | undefined; after: Verdicts; at: number },
): Incidents | undefined {
  // A mirror that was never seen online has not gone offline.
  const fallen = nodes.flatMap(({ id, host }) => {
    const { status, code } = after[id] ?? {};
    const wasOnline = before[id]?.status === 1 && evidence(before[id].code) === 1;
    return wasOnline && status === 0 && code !== undefined
      ? [[`${host} ${code}`, { id, host, code }] as const]
      : [];
  });
  const incidents = new Map(Object.entries(known));
  for (const own of group(fallen).values()) {
    const [{ host, code }] = own;
    const [id, same] = continued(incidents, host, code, at) ?? [
      newId(incidents, host, code, at),
      { host, code, start: at, outages: [] },
    ];
    const outages = [...same.outages, ...own.map((node): Outage => [node.id, at])];
    incidents.set(id, { ...same, outages: withLimit(outages) });
  }
  const ended = [...incidents].map(([id, incident]): Entry => [id, withEnds(incident, after, at)]);
  const kept = withinLimits(ended, at);
  return kept.length === 0
    ? undefined
    : Object.fromEntries(kept.sort(([one], [other]) => byName(one, other)));
}

/** Removes nodes that have left. Each incident keeps count of them. */
export function withoutNodes(incidents: Incidents, hasLeft: (id: number) => boolean): Incidents {
  const kept = Object.entries(incidents).map(([id, incident]): Entry => {
    const left = new Set(incident.outages.map(([node]) => node).filter(hasLeft));
    if (left.size === 0) return [id, incident];
    const outages = incident.outages.filter(([node]) => !left.has(node));
    return [id, { ...incident, outages, gone: (incident.gone ?? 0) + left.size }];
  });
  return Object.fromEntries(kept);
}

type Entry = readonly [id: string, incident: Incident];

/** Returns the open incident of a host and code, or the latest one that ended recently enough to reopen. */
function continued(incidents: ReadonlyMap<string, Incident>, host: string, code: string, at: number) {
  const [newest] = [...incidents]
    .filter(([, one]) => one.host === host && one.code === code && at - (one.end ?? Infinity) < reopenMs)
    .sort(newestFirst);
  return newest;
}

/** Returns a permanent id: the date and six digits of a digest, or all digits if these six are taken. */
function newId(incidents: ReadonlyMap<string, Incident>, host: string, code: string, start: number): string {
  const digest = hash("sha256", JSON.stringify([host, code, start]));
  const day = new Date(start).toISOString().slice(0, 10);
  const short = `${day}-${digest.slice(0, 6)}`;
  return incidents.has(short) ? `${day}-${digest}` : short;
}

function withLimit(outages: readonly Outage[]): Outage[] {
  const byNode = group(outages.map((outage) => [outage[0], outage] as const));
  return [...byNode.values()]
    .flatMap((own) => own.slice(-outagesOfNode))
    .sort(([one, from], [other, otherFrom]) => from - otherFrom || one - other);
}

/** Ends the outages of nodes that are not offline, and then the incident if none of its outages is left. */
function withEnds(incident: Incident, after: Verdicts, at: number): Incident {
  const outages = incident.outages.map((outage): Outage => {
    const [node, from, to] = outage;
    return to === undefined && after[node]?.status !== 0 ? [node, from, Math.max(from, at)] : outage;
  });
  if (outages.some(([, , to]) => to === undefined)) return { ...incident, outages, end: undefined };
  const last = outages.reduce((latest, [, , to = 0]) => Math.max(latest, to), at);
  return { ...incident, outages, end: incident.end ?? last };
}

/** Drops incidents that ended long ago, and those that ended first if there are too many incidents or outages. */
function withinLimits(incidents: readonly Entry[], at: number): Entry[] {
  const open = incidents.filter(([, { end }]) => end === undefined);
  const ended = incidents
    .filter(([, { end }]) => end !== undefined && at - end < incidentKeptMs)
    .sort(newestFirst)
    .slice(0, Math.max(0, incidentsKept - open.length));
  return [...open, ...fitting(ended, outagesKept, ([, { outages }]) => outages.length)];
}

/** Sorts open incidents first, then by end and id, both descending. */
function newestFirst([id, one]: Entry, [otherId, other]: Entry): number {
  const [end, otherEnd] = [one.end ?? Number.MAX_VALUE, other.end ?? Number.MAX_VALUE];
  return otherEnd - end || byName(otherId, id);
}

/** Compares code units, so that the order does not depend on the locale. */
function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}
