import { hash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import { type KindName, mirrorPath } from "../kinds/kinds.ts";
import { withoutNodes } from "./incidents.ts";
import type { Notifications } from "./notifications.ts";
import type { State } from "./schema.ts";

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
 * Removes nodes that have left the feed. If the URL of an id has changed, also removes what is known about the former
 * URL: the node, its counts and, if the node is the primary, its target's reference. Notification events lose nodes
 * whose URL has changed, but keep nodes that have left the feed.
 */
export function withoutFormerNodes(state: State, nodes: readonly Node[]): State {
  const moved = nodes.filter(({ id, url, settings }) => {
    const known = state.nodes[id]?.url;
    return known !== undefined && known !== urlDigest(url, settings.kind);
  });
  const movedIds = new Set(moved.map(({ id }) => id));
  const movedPlaces = new Set(moved.filter(({ primary }) => primary).map(({ place }) => place));
  const kept = new Set(nodes.map(({ id }) => id).filter((id) => !movedIds.has(id)));
  const { nodes: known, references, incidents, notifications, vantages } = state;
  return {
    ...state,
    nodes: filtered(known, (id) => kept.has(Number(id))),
    references: filtered(references, (place) => !movedPlaces.has(place)),
    incidents: incidents && withoutNodes(incidents, (id) => !kept.has(id)),
    notifications: notifications && withoutEventNodes(notifications, movedIds),
    vantages: Object.fromEntries(
      Object.entries(vantages).map(([name, { times, nodes: tallies }]) => [
        name,
        { times, nodes: filtered(tallies, (id) => kept.has(Number(id))) },
      ]),
    ),
  };
}

function withoutEventNodes(notifications: Notifications, moved: ReadonlySet<number>): Notifications {
  if (moved.size === 0) return notifications;
  const events = Object.entries(notifications.events).map(([id, event]) => {
    const nodes = event.nodes.filter((node) => !moved.has(node));
    return [id, { ...event, nodes }] as const;
  });
  return { ...notifications, events: Object.fromEntries(events) };
}

function filtered<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (key: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => isKept(key)));
}
