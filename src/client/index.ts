import { isAtHost, type Mirror } from "./documents.ts";
import { type Feed, readFirst } from "./read-feed.ts";
import { rank, spread } from "../core/verdict/rank.ts";
import type { CheckOptions, Destructurable, Failure, PickOptions } from "./interface.ts";

export type { FreshnessReason, Mirror } from "./documents.ts";
export type * from "./interface.ts";
export type { MirrorState } from "../core/verdict/mirror-state.ts";
export type { Freshness } from "../core/verdict/rank.ts";

/** `mirrors` has all of the target's mirrors, best first. */
export interface Counted extends Feed {
  /** `not_fresh`: with `fresh`, enough mirrors are reachable, but too few of them are known to be in sync. */
  readonly outcome: "reachable" | "not_fresh" | "unreachable";
  /** How many mirrors are reachable and, with `fresh`, also in sync. At least `min` make the outcome `reachable`. */
  readonly count: number;
  readonly min: number;
}

/** The URL of a feed, or the URLs of several feeds to try in this order. */
export type FeedUrls = string | readonly string[];

export type CheckResult = Destructurable<Counted | Failure>;

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

/** A mirror was picked. `mirrors` has all mirrors that aren't excluded, best first, unreachable ones last. */
export interface Picked extends Feed {
  readonly outcome: "reachable";
  /**
   * The best mirror. Without `exclude`, `country` or `spread`, this is the mirror in the first line of the feed's
   * mirror list.
   */
  readonly mirror: Mirror;
}

/** No mirror is reachable. `mirrors` still has all mirrors that aren't excluded, best first. */
export interface NonePicked extends Feed {
  readonly outcome: "unreachable";
}

export type PickResult = Destructurable<Picked | NonePicked | Failure>;

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
  return {
    ...feed,
    ...(mirror?.status === 1 ? { outcome: "reachable", mirror } : { outcome: "unreachable" }),
    mirrors,
  };
}
