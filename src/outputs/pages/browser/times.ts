import { all } from "./elements.ts";
import { formatTimestamp, words } from "./words.ts";

/**
 * Writes every time on the page as its distance from now (epoch milliseconds). Its title is in the reader's time zone. The
 * statuses of an expired feed are known only up to its last run, so their durations end there.
 */
export function updateTimes(now: number, lastRun: number | undefined): void {
  for (const time of all("main time, .stale time")) {
    time.title ||= titleOf(time);
    const at = Date.parse(time.dateTime);
    const hasEnded = lastRun !== undefined && time.className === "since";
    const text = hasEnded ? words.expired.since(Math.max(0, lastRun - at)) : textOf(time, at - now);
    if (time.textContent !== text) time.textContent = text;
  }
}

function titleOf({ className, dateTime }: HTMLTimeElement): string {
  const timestamp = formatTimestamp(dateTime);
  if (className === "since") return words.sinceTime(timestamp);
  return className === "until" ? words.untilTime(timestamp) : timestamp;
}

function textOf({ className, title }: HTMLTimeElement, ahead: number): string {
  const duration = Math.abs(ahead);
  if (className === "exact") return title;
  if (className === "since") return words.since(duration);
  if (className === "until") return ahead > 0 ? words.remaining(duration) : title;
  return ahead > 0 ? words.ahead(duration) : words.ago(duration);
}
