import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/config-schema.ts";

/** Returns why a node is in maintenance at `at` (epoch milliseconds), or undefined if it is not. */
export function maintenanceReason(windows: Config["maintenance"], node: Node, at: number) {
  return windows.find(
    ({ scope, from, to }) => isNamedBy(scope, node, node) && Date.parse(from) <= at && at < Date.parse(to),
  )?.reason;
}

/** Returns whether a `scope` (host, path or id) includes a node. */
export function isNamedBy(
  scope: string | number,
  { id, host }: Pick<Node, "id" | "host">,
  { system, project, place }: Pick<Node, "system" | "project" | "place">,
): boolean {
  return scope === id || scope === host || scope === place || scope === `${system}/${project}`;
}
