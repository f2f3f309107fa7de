import { hash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import { type KindName, mirrorPath } from "../kinds/kinds.ts";
import { nodesAside, noFormer, referencesAside, talliesOf, withinRoom } from "./former.ts";
import { withoutNodes } from "./outages.ts";
import type { NodeState, State } from "./state-schema.ts";

/** Enough hexadecimal digits to tell apart the former and the new URL of an id. */
const digitsKept = 12;

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
 * whose URL has changed has left, too. If it is the primary, its target's reference is dropped. Incidents
 * lose the nodes whose id has another URL (`replaced`), but keep nodes that have left the feed.
 */
export function withNodes(
  state: State,
  nodes: readonly Node[],
  at: number,
): { readonly state: State; readonly replaced: ReadonlySet<number> } {
  const { former = noFormer, incidents, vantages } = state;
  const digests = new Map(nodes.map(({ id, url, settings }) => [String(id), urlDigest(url, settings.kind)]));
  const places = new Set(nodes.map(({ place }) => place));
  const hasNode = (id: string, { url }: NodeState): boolean =>
    digests.has(id) && (url === undefined || url === digests.get(id));
  const hasPlace = (place: string): boolean => places.has(place);
  const [current, leaving] = partition(state.nodes, hasNode);
  const [back, gone] = partition(former.nodes, (id, { node }) => hasNode(id, node));
  const [references, leavingReferences] = partition(state.references, hasPlace);
  const [backReferences, goneReferences] = partition(former.references, hasPlace);
  for (const { id, place, primary } of nodes)
    if (primary && leaving[id] !== undefined) Reflect.deleteProperty(references, place);
  for (const [id, { node }] of Object.entries(back)) current[id] = node;
  for (const [place, { reference }] of Object.entries(backReferences)) references[place] = reference;
  const kept = withinRoom(
    {
      nodes: { ...gone, ...nodesAside(leaving, vantages, at) },
      references: { ...goneReferences, ...referencesAside(leavingReferences, at) },
      last_id: Math.max(former.last_id, ...Object.keys(leaving).map(Number)),
    },
    at,
  );
  // If the former URL of an id is back, its outages and events are still those of the URL that has just left.
  const isKnown = (id: number): boolean =>
    digests.has(String(id))
      ? current[id] !== undefined && leaving[id] === undefined
      : kept?.nodes[id] !== undefined;
  const replaced = new Set(nodes.flatMap(({ id }) => (isKnown(id) ? [] : [id])));
  const after = {
    ...state,
    nodes: current,
    references,
    incidents: incidents && withoutNodes(incidents, (id) => !isKnown(id)),
    former: kept,
    vantages: Object.fromEntries(
      Object.entries(vantages).map(([name, { times, nodes: tallies }]) => {
        const [currentTallies] = partition(
          tallies,
          (id) => current[id] !== undefined && back[id] === undefined,
        );
        return [name, { times, nodes: { ...currentTallies, ...talliesOf(back, name, at) } }];
      }),
    ),
  };
  return { state: after, replaced };
}

function partition<Value>(
  record: Readonly<Record<string, Value>>,
  isFirst: (key: string, value: Value) => boolean,
): [first: Record<string, Value>, second: Record<string, Value>] {
  const first = Object.entries(record).filter(([key, value]) => isFirst(key, value));
  const second = Object.entries(record).filter(([key, value]) => !isFirst(key, value));
  return [Object.fromEntries(first), Object.fromEntries(second)];
}
