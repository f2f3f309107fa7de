import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";

/** Returns why a node is in maintenance at a time (epoch milliseconds), or undefined if it is not. */
export function maintenanceReason(
  windows: Config["maintenance"],
  node: Node,
  at: number,
): string | undefined {
  return windows.find((window) => isNamedBy(window.scope, node) && lasts(window, at))?.reason;
}

/** Returns the nodes that are in maintenance at a time (epoch milliseconds). */
export function nodesInMaintenance(
  windows: Config["maintenance"],
  nodes: readonly Node[],
  at: number,
): Set<Node> {
  const lasting = windows.filter((window) => lasts(window, at));
  return new Set(nodes.filter((node) => lasting.some((window) => isNamedBy(window.scope, node))));
}

function lasts({ from, to }: Config["maintenance"][number], at: number): boolean {
  return Date.parse(from) <= at && at < Date.parse(to);
}

/** Returns whether a host, a path or an id, as in the key `scope`, names a node. */
export function isNamedBy(scope: string | number, { id, host, system, project, place }: Node): boolean {
  return scope === id || scope === host || scope === place || scope === `${system}/${project}`;
}
