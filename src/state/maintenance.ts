import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";

/** Returns why a node is in maintenance at a time (epoch milliseconds), or undefined if it is not. */
export function maintenanceReason(
  windows: Config["maintenance"],
  node: NetworkNode,
  at: number,
): string | undefined {
  return windows.find(
    ({ at: named, from, to }) => isNamedBy(named, node) && Date.parse(from) <= at && at < Date.parse(to),
  )?.reason;
}

/** Returns whether a host, a path or an id, as in the key `at`, names a node. */
export function isNamedBy(at: string | number, { id, host, system, project, place }: NetworkNode): boolean {
  return at === id || at === host || at === place || at === `${system}/${project}`;
}
