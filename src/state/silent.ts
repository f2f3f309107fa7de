import type { State } from "./document.ts";

/** Returns the ids of the nodes that did not answer in time when a vantage observed them last. */
export function silentNodes(state: State | undefined): Set<number> {
  const tallies = Object.values(state?.vantages ?? {}).flatMap(({ nodes }) => Object.entries(nodes));
  return new Set(tallies.flatMap(([id, { code }]) => (code === "timeout" ? [Number(id)] : [])));
}
