import { isAtHost } from "./documents.ts";
import type { CheckOptions, CheckResult, FeedUrls, Mirror, PickOptions, PickResult } from "./interface.ts";
import { readFirst } from "./read-feed.ts";
import { rank, spread } from "../core/verdict/rank.ts";

export type * from "./interface.ts";
export type { Reason } from "./reasons.ts";
export type { MirrorState } from "../core/verdict/mirror-state.ts";
export type { Freshness } from "../core/verdict/rank.ts";

/**
 * Checks whether a feed says that enough mirrors of a target are reachable. The target is given as
 * `system/project/target`. If there are several feeds, the first current one is used. Feed problems are returned, not
 * thrown. Rejects with TypeError if an argument is invalid, and with the signal's reason if it aborts.
 */
export async function check(url: FeedUrls, target: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { min = 1, fresh } = options;
  const feed = await readFirst(url, target, options);
  if ("outcome" in feed) return feed;
  const reachable = feed.mirrors.filter(({ status }) => status);
  const isFresh = ({ state, freshness, unverified_since }: Mirror): boolean =>
    freshness === "in_sync" && state !== "wrong" && !unverified_since;
  const count = (fresh ? reachable.filter(isFresh) : reachable).length;
  const lacking = reachable.length >= min ? "not_fresh" : "unreachable";
  return { ...feed, outcome: count >= min ? "reachable" : lacking, count, min };
}

/** Picks the best of a target's mirrors that are reachable according to a feed. Uses feeds, and rejects, as `check` does. */
export async function pick(url: FeedUrls, target: string, options: PickOptions = {}): Promise<PickResult> {
  const { exclude = [], random = Math.random } = options;
  const feed = await readFirst(url, target, options);
  if ("outcome" in feed) return feed;
  const country = options.country?.toUpperCase();
  const left = feed.mirrors.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const { generated_at: at = "" } = feed;
  const ranked = rank(left, at, country);
  const mirrors = options.spread ? spread(ranked, random(), at, country) : ranked;
  const [mirror] = mirrors;
  if (mirror?.status !== 1) return { ...feed, outcome: "unreachable", mirrors };
  return { ...feed, outcome: "reachable", mirror, mirrors };
}
