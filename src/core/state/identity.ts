import { hash } from "node:crypto";
import { dayMs } from "../base/text/time.ts";
import type { Node } from "../config/nodes.ts";
import { type KindName, mirrorPath } from "../kinds/kinds.ts";
import { withoutNodes } from "./outages.ts";
import { fitting, sizeOf, withoutRefs } from "./room.ts";
import type { Former, NodeState, State } from "./state-schema.ts";
import { maxBytes } from "./store.ts";

/** Enough hexadecimal digits to tell apart the former and the new URL of an id. */
const digitsKept = 12;
/** How long the history of a mirror that has left the feed is kept. */
export const formerKeptMs = 30 * dayMs;
/** In bytes: former mirrors and former references together get a tenth of the largest state. */
const roomForEach = maxBytes / 20;

/**
 * Hashes the parts of a mirror's URL that identify it: host, port, path and query. The scheme and trailing slashes do
 * not count, nor does anything else that the mirror's kind ignores.
 */
export function urlDigest(url: string, kind: KindName): string {
  const parsed = new URL(url);
  const named = `${parsed.host}${mirrorPath(kind, parsed)}${parsed.search}`;
  return hash("sha256", named).slice(0, digitsKept);
}

/**
 * Sets aside the nodes and references that have left the feed, and takes back those that the feed has again. A node
 * whose URL has changed has left, too, unless the former URL redirected to the new one. If it is the primary, its
 * target's reference is dropped. Incidents lose the nodes whose id has another URL (`replaced`), but keep nodes that
 * have left the feed.
 */
export function withNodes(state: State, nodes: readonly Node[], at: number) {
  const { incidents, vantages } = state;
  const former: Former = state.former ?? { nodes: {}, references: {}, last_id: 0 };
  const digests = new Map(nodes.map(({ id, url, settings }) => [String(id), urlDigest(url, settings.kind)]));
  const places = new Set(nodes.map(({ place }) => place));
  const hasNode = (id: string, { url, moved_to }: NodeState): boolean => {
    const own = [url, moved_to && urlDigest(moved_to, "git")];
    return digests.has(id) && (url === undefined || own.includes(digests.get(id)));
  };
  const [current, leaving] = partition(state.nodes, hasNode);
  const [back, gone] = partition(former.nodes, (id, { node }) => hasNode(id, node));
  const [references, leavingReferences] = partition(state.references, (place) => places.has(place));
  const [backReferences, goneReferences] = partition(former.references, (place) => places.has(place));
  for (const { id, place, primary } of nodes)
    if (primary && leaving[id] !== undefined) Reflect.deleteProperty(references, place);
  for (const [id, { node }] of Object.entries(back)) current[id] = node;
  for (const [id, node] of Object.entries(current))
    if (node.url !== digests.get(id)) current[id] = { ...node, moved_to: undefined };
  for (const [place, { reference }] of Object.entries(backReferences)) references[place] = reference;
  for (const [id, node] of Object.entries(leaving))
    gone[id] = { at, node, tallies: mapValues(vantages, (vantage) => vantage.nodes[id]) };
  for (const [place, reference] of Object.entries(leavingReferences))
    goneReferences[place] = { at, reference: withoutRefs(reference) };
  const last_id = Math.max(former.last_id, ...Object.keys(leaving).map(Number));
  const kept: Former | undefined =
    last_id === 0
      ? undefined
      : { nodes: withinRoom(gone, at), references: withinRoom(goneReferences, at), last_id };
  // If the former URL of an id is back, its outages and events are still those of the URL that has just left.
  const isKnown = (id: number): boolean =>
    digests.has(String(id))
      ? current[id] !== undefined && leaving[id] === undefined
      : kept?.nodes[id] !== undefined;
  const after: State = {
    ...state,
    nodes: current,
    references,
    incidents: incidents && withoutNodes(incidents, (id) => !isKnown(id)),
    former: kept,
    vantages: Object.fromEntries(
      Object.entries(vantages).map(([name, { times, nodes: byNode }]) => {
        const [own] = partition(byNode, (id) => current[id] !== undefined && back[id] === undefined);
        // Runs that missed a node while it was away don't count.
        const returned = mapValues(
          back,
          ({ tallies }) => tallies[name] && { ...tallies[name], from: at + 1 },
        );
        return [name, { times, nodes: { ...own, ...returned } }];
      }),
    ),
  };
  return { state: after, replaced: new Set(nodes.flatMap(({ id }) => (isKnown(id) ? [] : [id]))) };
}

/** Returns the record with other values, without those that are undefined. */
function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result | undefined,
): Record<string, Result> {
  const changed = Object.entries(record).flatMap(([key, value]) => {
    const result = change(value);
    return result === undefined ? [] : [[key, result] as const];
  });
  return Object.fromEntries(changed);
}

function partition<Value>(
  record: Readonly<Record<string, Value>>,
  isFirst: (key: string, value: Value) => boolean,
): [first: Record<string, Value>, second: Record<string, Value>] {
  const parts: [Record<string, Value>, Record<string, Value>] = [{}, {}];
  for (const [key, value] of Object.entries(record)) parts[isFirst(key, value) ? 0 : 1][key] = value;
  return parts;
}

/** Drops what is too old at `at`, and the oldest of what does not fit. */
function withinRoom<Part extends { readonly at: number }>(parts: Readonly<Record<string, Part>>, at: number) {
  const newestFirst = Object.entries(parts)
    .filter(([, part]) => at - part.at < formerKeptMs)
    .sort(([, one], [, other]) => other.at - one.at);
  return Object.fromEntries(fitting(newestFirst, roomForEach, ([, part]) => sizeOf(part)));
}
