import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";

/** Returns why a node is in maintenance at a time (epoch milliseconds), or undefined if it is not. */
export function maintenanceReason(
  windows: Config["maintenance"],
  { id, host, system, project, place }: NetworkNode,
  at: number,
): string | undefined {
  const places = [id, host, `${system}/${project}`, place];
  return windows.find(
    ({ at: named, from, to }) => places.includes(named) && Date.parse(from) <= at && at < Date.parse(to),
  )?.reason;
}
