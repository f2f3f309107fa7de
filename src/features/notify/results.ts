import { formatCount } from "../../core/base/text/count.ts";
import { formatMinute, isoTimestamp } from "../../core/base/text/timestamp.ts";
import { withMessages } from "../../core/feed/feed.ts";
import type { Delivery } from "./channels/channel.ts";
import { nextAttempt } from "./claims.ts";
import { type Difference, differenceOf } from "./difference.ts";
import type { Outgoing } from "./send.ts";
import type { NotifiedFeed } from "./told.ts";

/** A message and, unless it was only composed, its outcome. */
export interface Sent extends Outgoing {
  readonly delivery?: Delivery | undefined;
  /** When a channel that failed is tried again, in epoch milliseconds. */
  readonly next?: number | undefined;
}

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

/** Returns a sentence about what a run leaves to be sent, if anything. */
export function pendingLines({ run }: NotifiedFeed): string[] {
  const { waiting = 0, failing = 0 } = run.notifications ?? {};
  const failed = failing === 0 ? "" : `, ${failing} of them to channels that failed last`;
  return waiting === 0 ? [] : [`${formatCount(waiting, "notification")} to send${failed}.`];
}

export function lineOf({ channel, message, delivery, next }: Sent): string {
  const line = `${delivery?.outcome}  ${channel}  ${message.title}`;
  if (delivery?.outcome !== "failed")
    return delivery?.note === undefined ? line : `${line}. Note: ${delivery.note}`;
  const again = next === undefined ? "" : `It will be tried again at ${minuteOf(next)}: `;
  return `${line}. ${again}${delivery.reason}`;
}

/** Returns what was sent and what waits, such as `2 notifications are waiting; the next attempt is at …`. */
export function totalLines(sent: readonly Sent[], later: readonly Waiting[]): string[] {
  const count = (outcome: string): number => sent.filter((one) => one.delivery?.outcome === outcome).length;
  const [arrived, failed] = [count("sent"), count("failed")];
  const waiting = linesOf(later);
  const first = Math.min(...later.flatMap(({ next = [] }) => next));
  const are = `${formatCount(waiting, "notification")} ${waiting === 1 ? "is" : "are"} waiting`;
  return [
    ...(arrived + failed > 0
      ? [`${formatCount(arrived, "notification")} sent${failed === 0 ? "" : `, ${failed} failed`}.`]
      : []),
    ...(waiting === 0 ? [] : [`${are}; the next attempt is at ${minuteOf(first)}.`]),
  ];
}

function minuteOf(at: number): string {
  return formatMinute(isoTimestamp(at));
}
