import { formatCount } from "../../core/base/text/count.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import { withMessages } from "../../core/feed/feed.ts";
import { nextAttempt } from "./claims.ts";
import { differencesOf } from "./difference.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

/** What a channel is to be told as of the last run. */
interface Waiting {
  readonly lines: number;
  readonly isFailing: boolean;
  /** In epoch milliseconds. Undefined if it can be sent now. */
  readonly next: number | undefined;
}

function waitingIn(feed: NotifiedFeed): Waiting[] {
  const at = Date.parse(feed.run.generated_at);
  return [...differencesOf(feed, at)].flatMap(([channel, { says }]) => {
    const known = feed.notifications?.channels[channel];
    const isFailing = known?.failures !== undefined;
    return says.length === 0 ? [] : [{ lines: says.length, isFailing, next: nextAttempt(known, at) }];
  });
}

/** Publishes in the feed how many notifications are waiting. */
export function withWaiting(feed: NotifiedFeed): NotifiedFeed {
  if (feed.rules.length === 0) return feed;
  const all = waitingIn(feed);
  const counts = { waiting: linesOf(all), failing: linesOf(all.filter(({ isFailing }) => isFailing)) };
  return { ...feed, ...withMessages(feed, counts) };
}

function linesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { lines }) => sum + lines, 0);
}

/** Returns a sentence such as `2 notifications are waiting; the next attempt is at 12:24 UTC.` */
export function waitingSentence(count: number, next: number, now: number): string {
  return `${formatCount(count, "notification")} ${count === 1 ? "is" : "are"} waiting; the next attempt is ${attemptTime(next, now)}.`;
}

/** Returns text such as `at 12:24 UTC`, with the date if that is not today. */
export function attemptTime(next: number, now: number): string {
  const [date, minute] = [isoTimestamp(next).slice(0, 10), isoTimestamp(next).slice(11, 16)];
  return `${date === isoTimestamp(now).slice(0, 10) ? "" : `on ${date} `}at ${minute} UTC`;
}

/** Returns up to two sentences, which count the notifications that can be sent now and those that wait. */
export function pendingLines(feed: NotifiedFeed): string[] {
  if (!feed.run.notifications?.waiting) return [];
  const all = waitingIn(feed);
  const due = linesOf(all.filter(({ next }) => next === undefined));
  const [later] = laterAttempts(all);
  return [
    ...(due > 0 ? [`${formatCount(due, "notification")} to send.`] : []),
    ...(later === undefined
      ? []
      : [waitingSentence(linesOf(all) - due, later, Date.parse(feed.run.generated_at))]),
  ];
}

/** Returns the same for programs, or undefined if nothing is waiting. */
export function pendingJson(feed: NotifiedFeed) {
  const counts = feed.run.notifications;
  if (!counts?.waiting) return undefined;
  const [later] = laterAttempts(waitingIn(feed));
  return { ...counts, next_attempt_at: later === undefined ? undefined : isoTimestamp(later) };
}

/** In epoch milliseconds, earliest first. */
function laterAttempts(waiting: readonly Waiting[]): number[] {
  return waiting.flatMap(({ next }) => next ?? []).sort((one, other) => one - other);
}
