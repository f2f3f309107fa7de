import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { Feed, Target } from "../../core/feed/feed.ts";
import { listOrder } from "./lists.ts";

/** A mirror that fails in every third run is not recommended. */
const minUptime = 2 / 3;

/** Whether a mirror is online, in no open notice, and reliable. */
export function isRecommendable({ state, status, notice, uptime }: FeedNode): boolean {
  return state === "online" && status === 1 && notice === undefined && (uptime["7d"].ratio ?? 1) > minUptime;
}

/**
 * Returns the first mirror of the mirror list that can be recommended. If there is none, returns the first one if it is
 * known to be reachable.
 */
export function bestOf(feed: Feed, { nodes }: Target): FeedNode | undefined {
  const ranked = listOrder(feed, nodes);
  const [first] = ranked;
  const isReachable = first?.status === 1 && first.state !== "unknown";
  return ranked.find(isRecommendable) ?? (isReachable ? first : undefined);
}

/**
 * Returns the mirror to recommend in each country that has one: there, the ranking puts it first. Elsewhere, others are
 * before it only because they are faster or the primary.
 */
export function bestNearby(
  feed: Feed,
  { nodes }: Target,
): { readonly country: string; readonly node: FeedNode }[] {
  const good = nodes.filter(isRecommendable);
  const countries = new Set(good.flatMap(({ country }) => country ?? []));
  return [...countries].flatMap((country) => {
    const [node] = listOrder(feed, good, country);
    return node?.country === country ? [{ country, node }] : [];
  });
}
