import { formatCount } from "../../core/base/text/count.ts";
import { withMessages } from "../../core/feed/feed.ts";
import { nextAttempt } from "./claims.ts";
import { type Differences, differencesOf } from "./difference.ts";
import type { NotifiedFeed } from "./told.ts";

/** How much a channel is to be told, and when in epoch milliseconds. `next` is undefined if it can be told now. */
export interface Waiting {
  readonly channel: string;
  readonly lines: number;
  readonly isFailing: boolean;
  readonly next: number | undefined;
}

/** With `retry`, a channel that failed can be told now. */
export function waitingIn(
  { notifications }: NotifiedFeed,
  differences: Differences,
  now: number,
  retry = false,
): Waiting[] {
  return [...differences].flatMap(([channel, { says }]): Waiting[] => {
    const known = notifications?.channels[channel];
    const isFailing = known?.failures !== undefined;
    const next = nextAttempt(known, now, retry);
    return says.length === 0 ? [] : [{ channel, lines: says.length, isFailing, next }];
  });
}

/** Publishes in the feed how many notifications are waiting. */
export function withWaiting(feed: NotifiedFeed): NotifiedFeed {
  if (feed.rules.length === 0) return feed;
  const at = Date.parse(feed.run.generated_at);
  const all = waitingIn(feed, differencesOf(feed, at), at);
  const counts = { waiting: linesOf(all), failing: linesOf(all.filter(({ isFailing }) => isFailing)) };
  return { ...feed, ...withMessages(feed, counts) };
}

export function linesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { lines }) => sum + lines, 0);
}

/** Returns a sentence about what a run leaves to be sent, if anything. */
export function pendingLines({ run }: NotifiedFeed): string[] {
  const { waiting = 0, failing = 0 } = run.notifications ?? {};
  const failed = failing === 0 ? "" : `, ${failing} of them to channels that failed last`;
  return waiting === 0 ? [] : [`${formatCount(waiting, "notification")} to send${failed}.`];
}
