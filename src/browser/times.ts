import { all } from "./elements.ts";
import { formatTimestamp, words } from "./words.ts";

/** Writes every time on the page as its distance from now (epoch milliseconds). Its title is in the reader's time zone. */
export function updateTimes(now: number): void {
  for (const time of all("main time, .stale time")) {
    time.title ||= titleOf(time);
    const text = textOf(time, Date.parse(time.dateTime) - now);
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
