import type { NetworkNode } from "../config/nodes.ts";
import type { State } from "../state/document.ts";
import { type Freshness, freshnessOf } from "../state/freshness.ts";
import type { Status } from "../state/verdict.ts";

/** What is decided of a node. */
export interface NodeVerdict {
  readonly status: Status;
  readonly freshness: Freshness;
}

/** Returns what a state decides of each node, by its id. Without a state nothing was ever reached: all are offline. */
export function verdictsOf(
  nodes: readonly NetworkNode[],
  state: State | undefined,
): Map<number, NodeVerdict> {
  return new Map(
    nodes.map(({ id, system, project, target }) => {
      const known = state?.nodes[id];
      const freshness = freshnessOf(known, state?.references[`${system}/${project}/${target}`]);
      return [id, { status: known?.status ?? (state === undefined ? 0 : 1), freshness }];
    }),
  );
}
