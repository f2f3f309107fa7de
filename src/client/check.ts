import type { Mirror, Moments } from "./documents.ts";
import { readFeed } from "./feed.ts";
import type { NotFound, Unknown } from "./outcome.ts";
import type { FeedOptions } from "./question.ts";

export interface CheckOptions extends FeedOptions {
  /** How many mirrors must be reachable; 1 where it is left out. */
  readonly min?: number | undefined;
  /** Whether only mirrors that are in sync count. */
  readonly fresh?: boolean | undefined;
}

/** Whether enough mirrors are reachable. */
export interface Counted extends Partial<Moments> {
  readonly outcome: "reachable" | "unreachable";
  /** How many mirrors count, and how many must. */
  readonly count: number;
  readonly min: number;
  /** All of them, the best first. */
  readonly mirrors: readonly Mirror[];
}

export type CheckResult = Counted | NotFound | Unknown;

/**
 * Whether enough mirrors of a target, `system/project/target`, are reachable, as the feed at a url says. Whatever the
 * feed does is a value; rejects with TypeError where the question is not right, and with the signal's reason.
 */
export function check(url: string, target: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { min = 1, fresh = false } = options;
  return readFeed(url, target, options, fresh ? "need" : "omit", (feed) => {
    const counting = feed.mirrors.filter(
      ({ status, freshness }) => status === 1 && (!fresh || freshness === "in_sync"),
    );
    const count = counting.length;
    return { outcome: count >= min ? "reachable" : "unreachable", count, min, ...feed };
  });
}
