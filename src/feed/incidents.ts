import type { Incident as StoredIncident, State } from "../state/schema.ts";
import { group } from "../base/text/group.ts";
import type { Incident, FeedNode } from "./feed.ts";
import { isoTimestamp, timestampIfAny } from "./timestamp.ts";

/** Returns the incidents of a state, those that began last first. */
export function incidentsOf(state: State | undefined, nodes: readonly FeedNode[]): Incident[] {
  const stored = Object.entries(state?.incidents ?? {});
  if (stored.length === 0) return [];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return stored
    .map(([id, incident]) => resolveIncident(id, incident, byId))
    .sort((one, other) => (one.start < other.start ? 1 : one.start > other.start ? -1 : 0));
}

/** Returns the incidents of each node that has some, in the same order. */
export function incidentsByNode(incidents: readonly Incident[]): Map<FeedNode, Incident[]> {
  return group(
    incidents.flatMap((incident) => nodesOfIncident(incident).map((node) => [node, incident] as const)),
  );
}

/** Returns the nodes of an incident, each once. */
export function nodesOfIncident({ outages }: Pick<Incident, "outages">): FeedNode[] {
  return [...new Set(outages.map(({ node }) => node))];
}

function resolveIncident(
  id: string,
  { host, code, start, end, outages, gone = 0 }: StoredIncident,
  nodes: ReadonlyMap<number, FeedNode>,
): Incident {
  return {
    id,
    host,
    code,
    start: isoTimestamp(start),
    end: timestampIfAny(end),
    outages: outages.flatMap(([nodeId, from, to]) => {
      const node = nodes.get(nodeId);
      return node === undefined ? [] : [{ node, from: isoTimestamp(from), to: timestampIfAny(to) }];
    }),
    gone,
  };
}
