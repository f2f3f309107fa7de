import { formatCount } from "../../core/base/text/count.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { messageCounts } from "./notifications.ts";
import { nextAttempt, noNotifications } from "./outbox.ts";

/** Returns a sentence such as `2 notifications are waiting; the next attempt is at 12:24 UTC.` */
export function waitingSentence(times: readonly number[], now: number): string {
  const next = isoTimestamp(Math.min(...times));
  const [date, minute] = [next.slice(0, 10), next.slice(11, 16)];
  const day = date === isoTimestamp(now).slice(0, 10) ? "" : `on ${date} `;
  return `${formatCount(times.length, "notification")} ${times.length === 1 ? "is" : "are"} waiting; the next attempt is ${day}at ${minute} UTC.`;
}

/** Returns up to three sentences, which count the messages that are due, waiting and dropped. */
export function pendingLines(feed: NotifiedFeed): string[] {
  const { outbox, dropped: [dropped] = [0] } = feed.notifications ?? noNotifications;
  const times = laterAttempts(feed);
  const due = Object.keys(outbox).length - times.length;
  return [
    ...(due > 0 ? [`${formatCount(due, "notification")} to send.`] : []),
    ...(times.length > 0 ? [waitingSentence(times, Date.parse(feed.run.generated_at))] : []),
    ...(dropped > 0 ? [`${formatCount(dropped, "notification")} dropped recently.`] : []),
  ];
}

/** Returns the same for programs, or undefined if nothing is pending and nothing was dropped. */
export function pendingJson(feed: NotifiedFeed) {
  const counts = messageCounts(feed.notifications);
  if (counts.waiting + counts.dropped === 0) return undefined;
  const times = laterAttempts(feed);
  return {
    ...counts,
    next_attempt_at: times.length === 0 ? undefined : isoTimestamp(Math.min(...times)),
  };
}

/** In epoch milliseconds. */
function laterAttempts({ notifications = noNotifications, run }: NotifiedFeed): number[] {
  const now = Date.parse(run.generated_at);
  return Object.values(notifications.outbox).flatMap((message) => nextAttempt(message, now) ?? []);
}
