import { isAtHost, type Mirror, type Network, type Timestamps } from "./documents.ts";
import { readFeed } from "./feed.ts";
import { rank, spread } from "../contract/rank.ts";
import type { Destructurable, FeedOptions, NotFound, Unknown } from "./interface.ts";

export type { FreshnessReason, LeftOut, Mirror, Timestamps, Network } from "./documents.ts";
export type {
  FeedOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  Level,
  NotFound,
  Reason,
  Signal,
  Unknown,
} from "./interface.ts";
export type { MirrorState } from "../contract/mirror-state.ts";
export type { Freshness } from "../contract/rank.ts";

export interface CheckOptions extends FeedOptions {
  /** How many mirrors must be reachable. 1 by default. */
  readonly min?: number | undefined;
  /** Whether only mirrors that are in sync, and whose status is verified, count. */
  readonly fresh?: boolean | undefined;
}

/** Whether enough mirrors are reachable. `mirrors` has all of them, the best first. */
export interface Counted extends Network, Partial<Timestamps> {
  readonly outcome: "reachable" | "unreachable";
  /** How many mirrors count, and below how many must. */
  readonly count: number;
  readonly min: number;
}

export type CheckResult = Destructurable<Counted | NotFound | Unknown>;

/**
 * Returns whether enough mirrors of a target, `system/project/target`, are reachable according to the feed at a URL.
 * Feed problems are returned, not thrown. Rejects with TypeError if an argument is invalid, and with the signal's
 * reason.
 */
export function check(url: string, target: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { min = 1, fresh = false } = options;
  return readFeed(url, target, options, fresh ? "need" : "add", (feed) => {
    const counting = feed.mirrors.filter(
      ({ status, freshness, unverified_since }) =>
        status === 1 && (!fresh || (freshness === "in_sync" && unverified_since === undefined)),
    );
    const count = counting.length;
    return { outcome: count >= min ? "reachable" : "unreachable", count, min, ...feed };
  });
}

export interface PickOptions extends FeedOptions {
  /** The hosts whose mirrors are excluded: names or addresses, with a port to exclude only that one. */
  readonly exclude?: readonly string[] | undefined;
  /** The country whose mirrors come before equally good ones: two letters of ISO 3166-1, such as DE. */
  readonly country?: string | undefined;
  /** Whether the mirror is drawn by weight among the equally good ones, so that many clients share them. */
  readonly spread?: boolean | undefined;
  /** Returns a random number in [0, 1) for `spread`. By default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A mirror was picked; `mirrors` has all of them, the best first, the unreachable ones last. */
export interface Picked extends Network, Partial<Timestamps> {
  readonly outcome: "reachable";
  /** The best mirror: the first line of the feed's mirror list, if no host is excluded and none is drawn. */
  readonly mirror: Mirror;
}

/** No mirror is reachable. The list is in order nevertheless. */
export interface NonePicked extends Network, Partial<Timestamps> {
  readonly outcome: "unreachable";
}

export type PickResult = Destructurable<Picked | NonePicked | NotFound | Unknown>;

/**
 * Returns the best reachable mirror of a target, `system/project/target`, according to the feed at a URL, and all
 * mirrors in order. Feed problems are returned, not thrown. Rejects with TypeError if an argument is invalid, and
 * with the signal's reason.
 */
export function pick(url: string, target: string, options: PickOptions = {}): Promise<PickResult> {
  const { exclude = [], random = Math.random } = options;
  const country = options.country?.toUpperCase();
  return readFeed(url, target, options, "add", (feed) => {
    const left = feed.mirrors.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
    const ranked = rank(left, country);
    const mirrors = options.spread ? spread(ranked, random(), country) : ranked;
    const [mirror] = mirrors;
    return mirror?.status === 1
      ? { outcome: "reachable", mirror, ...feed, mirrors }
      : { outcome: "unreachable", ...feed, mirrors };
  });
}
