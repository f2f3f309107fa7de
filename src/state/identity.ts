import { hash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import { type KindName, mirrorPath } from "../kinds/kinds.ts";
import type { State } from "./document.ts";
import { withoutNodes } from "./incidents.ts";
import { mapValues } from "./map-values.ts";
import { withoutEventNodes } from "./notification-document.ts";

/** How many hexadecimal digits of the digest are kept: enough to tell two URLs of one id apart. */
const digitsKept = 12;

/**
 * Returns a digest of what the URL of a mirror names: host, port, path and query. The scheme, slashes at the end of the
 * path, and what else the kind leaves out do not count.
 */
export function urlDigest(url: string, kind: KindName): string {
  const parsed = new URL(url);
  const named = `${parsed.host}${mirrorPath(kind, parsed)}${parsed.search}`;
  return hash("sha256", named).slice(0, digitsKept);
}

/**
 * Returns the state without what belongs to the former URL of an id: the node, its counts, and the reference of a
 * target whose primary it is. Returns the state itself if no id has another URL.
 */
export function withoutFormerUrls(state: State, nodes: readonly Node[]): State {
  const moved = nodes.filter(({ id, url, settings }) => {
    const known = state.nodes[id]?.url;
    return known !== undefined && known !== urlDigest(url, settings.kind);
  });
  if (moved.length === 0) return state;
  const ids = new Set(moved.map(({ id }) => String(id)));
  const places = new Set(moved.filter(({ primary }) => primary).map(({ place }) => place));
  const withoutMoved = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([id]) => !ids.has(id)));
  return {
    ...state,
    nodes: withoutMoved(state.nodes),
    incidents: state.incidents && withoutNodes(state.incidents, (id) => ids.has(String(id))),
    notifications: state.notifications && withoutEventNodes(state.notifications, ids),
    references: Object.fromEntries(Object.entries(state.references).filter(([key]) => !places.has(key))),
    vantages: mapValues(state.vantages, ({ times, nodes: tallies }) => ({
      times,
      nodes: withoutMoved(tallies),
    })),
  };
}
