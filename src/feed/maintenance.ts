import type { Config } from "../config/schema.ts";
import { group } from "../base/text/group.ts";
import type { Feed, Maintenance, FeedNode } from "./feed.ts";
import { isoTimestamp } from "./timestamp.ts";

/** Returns all maintenance of a configuration with its nodes, those that begin first first. */
export function maintenanceOf(windows: Config["maintenance"], nodes: readonly FeedNode[]): Maintenance[] {
  if (windows.length === 0) return [];
  const bySubject = group(
    nodes.flatMap((node) => {
      const { system, project, place } = node.target;
      return [node.id, node.host, `${system}/${project}`, place].map((subject) => [subject, node] as const);
    }),
  );
  return windows
    .map(({ scope, from, to, reason }): Maintenance => {
      const own = new Set(bySubject.get(scope));
      const [first] = own;
      const subject = typeof scope === "string" ? scope : (first?.name ?? String(scope));
      const [start, end] = [from, to].map((time) => isoTimestamp(Date.parse(time)));
      return { scope, subject, from: start ?? from, to: end ?? to, reason, nodes: own };
    })
    .sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : 0));
}

/** Returns the maintenance that has not ended, of all nodes or of these. */
export function comingMaintenance(
  { maintenance, run }: Pick<Feed, "maintenance" | "run">,
  nodes?: readonly FeedNode[],
): Maintenance[] {
  return maintenance.filter(
    ({ to, nodes: own }) => run.generated_at < to && (nodes?.some((node) => own.has(node)) ?? true),
  );
}
