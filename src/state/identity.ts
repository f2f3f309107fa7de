import { createHash } from "node:crypto";
import type { NetworkNode } from "../config/nodes.ts";
import type { State } from "./document.ts";

/** How many hexadecimal digits of the digest are kept: enough to tell two URLs of one id apart. */
const digitsKept = 12;

/**
 * Returns a digest of what a URL names: host, port, path and query. The scheme, `.git` and slashes at the end of the
 * path do not count, since the same repository answers with and without them.
 */
export function urlDigest(url: string): string {
  const { host, pathname, search } = new URL(url);
  const path = pathname.replace(/\/*$/, "").replace(/\.git$/, "");
  return createHash("sha256").update(`${host}${path}${search}`).digest("hex").slice(0, digitsKept);
}

/**
 * Returns the state without what belongs to the former URL of an id: the node, its counts, and the reference of a
 * target whose primary it is. A node without a known URL, as in schema 1, counts as unchanged. Returns the state itself
 * if no id has another URL.
 */
export function withoutFormerUrls(state: State, nodes: readonly NetworkNode[]): State {
  const moved = nodes.filter(({ id, url }) => ![undefined, urlDigest(url)].includes(state.nodes[id]?.url));
  if (moved.length === 0) return state;
  const ids = new Set(moved.map(({ id }) => String(id)));
  const places = new Set(moved.filter(({ primary }) => primary).map(({ place }) => place));
  const withoutMoved = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([id]) => !ids.has(id)));
  return {
    ...state,
    nodes: withoutMoved(state.nodes),
    references: Object.fromEntries(Object.entries(state.references).filter(([key]) => !places.has(key))),
    vantages: Object.fromEntries(
      Object.entries(state.vantages).map(([name, { times, nodes: tallies }]) => [
        name,
        { times, nodes: withoutMoved(tallies) },
      ]),
    ),
  };
}
