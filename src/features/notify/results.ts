import { formatCount } from "../../core/base/text/count.ts";
import { formatMinute, isoTimestamp } from "../../core/base/text/timestamp.ts";
import { withMessages } from "../../core/feed/feed.ts";
import { nextAttempt } from "./claims.ts";
import { type Difference, differenceOf } from "./difference.ts";
import type { Outgoing } from "./send.ts";
import type { NotifiedFeed } from "./told.ts";

/** How much a channel is to be told, and when, unless it can be told now. */
export interface Waiting {
  readonly channel: string;
  readonly lines: number;
  readonly isFailing: boolean;
  /** In epoch milliseconds. */
  readonly next: number | undefined;
}

/** With `retry`, a channel that failed can be told now. */
export function waitingIn(
  { notifications }: NotifiedFeed,
  { says }: Difference,
  now: number,
  retry = false,
): Waiting[] {
  return [...says].flatMap(([channel, { length: lines }]): Waiting[] => {
    const known = notifications.channels[channel];
    const isFailing = known?.failures !== undefined;
    return lines === 0 ? [] : [{ channel, lines, isFailing, next: nextAttempt(known, now, retry) }];
  });
}

/** Publishes in the feed how many notifications are waiting. */
export function withWaiting(feed: NotifiedFeed): NotifiedFeed {
  if (feed.rules.length === 0) return feed;
  const at = Date.parse(feed.run.generated_at);
  const all = waitingIn(feed, differenceOf(feed, at), at);
  const counts = { waiting: linesOf(all), failing: linesOf(all.filter(({ isFailing }) => isFailing)) };
  return { ...feed, ...withMessages(feed, counts) };
}

function linesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { lines }) => sum + lines, 0);
}

export function sentLine({ channel, message, delivery }: Outgoing): string {
  const line = `${delivery?.outcome}  ${channel}  ${message.title}`;
  if (delivery?.outcome === "failed") return `${line}. ${delivery.reason}`;
  return delivery?.note === undefined ? line : `${line}. Note: ${delivery.note}`;
}

/** Returns a line such as `waiting  ops  2 notifications until 2026-11-22 12:24 UTC`. */
export function waitingLine({ channel, lines, next }: Waiting): string {
  const until = next === undefined ? "" : ` until ${formatMinute(isoTimestamp(next))}`;
  return `waiting  ${channel}  ${formatCount(lines, "notification")}${until}`;
}
