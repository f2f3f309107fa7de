import type { Node } from "../config/nodes.ts";
import type { State } from "../state/schema.ts";
import { type Freshness, freshnessOf } from "../state/freshness.ts";
import type { Status } from "../contract/network.ts";

/** The status and the freshness of a node. */
export interface NodeVerdict {
  readonly status: Status;
  readonly freshness: Freshness;
}

/**
 * Returns the verdict on each node, by node id. Without a state no mirror was ever reached, so every node is offline. A node
 * that is new to an existing state is online until there is evidence.
 */
export function verdictsOf(nodes: readonly Node[], state: State | undefined): Map<number, NodeVerdict> {
  return new Map(nodes.map((node) => [node.id, verdictOf(node, state)]));
}

/** Returns the verdict on one node, as `verdictsOf` does. */
export function verdictOf({ id, place }: Node, state: State | undefined): NodeVerdict {
  const stored = state?.nodes[id];
  const freshness = freshnessOf(stored, state?.references[place]);
  return { status: stored?.status ?? (state === undefined ? 0 : 1), freshness };
}
