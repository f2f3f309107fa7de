import { type Feed, targetsOf } from "../../feed/feed.ts";
import { bareUrl } from "../../base/text/url.ts";
import { maxSections } from "./links.ts";
import { statesOf } from "./states.ts";

/** The path of the list that the search reads on pages whose mirrors are folded. */
export const searchIndexPath = "/search.json";

/**
 * Returns every mirror of a feed for the search, as short as it can be: its id, name, URL, states, uptime and mean latency,
 * by the path of its target. A name that is the URL without its scheme is empty. It changes with a status or the day. In targets with more nodes than `sections`, a mirror has a
 * page of its own.
 */
export function searchIndex(feed: Feed): string {
  const targets = targetsOf(feed.systems).map(({ place, nodes }) => [
    place,
    ...nodes.map((node) => [
      node.id,
      node.name === bareUrl(node.url) ? "" : node.name,
      node.url,
      statesOf(feed, node).join(" "),
      node.uptime["90d"].ratio ?? null,
      node.mean_latency_ms === undefined ? null : Math.round(node.mean_latency_ms),
    ]),
  ]);
  return `${JSON.stringify({ sections: maxSections, targets })}\n`;
}
