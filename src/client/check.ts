import type { Timestamps, Network } from "./documents.ts";
import { readFeed } from "./feed.ts";
import type { Destructurable, NotFound, Unknown } from "./outcome.ts";
import type { FeedOptions } from "./options.ts";

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
 * Everything that the feed does is a value. Rejects with TypeError if an argument is invalid, and with the signal's
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
