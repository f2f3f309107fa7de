import { all } from "./elements.ts";
import { formatDuration } from "../text/duration.ts";

/** Writes every time on the page as its distance from now (epoch milliseconds). Its title keeps the original words. */
export function updateTimes(now: number): void {
  for (const time of all("main time, .stale time")) {
    time.title ||= time.textContent;
    const text = textOf(time, Date.parse(time.dateTime) - now);
    if (time.textContent !== text) time.textContent = text;
  }
}

function textOf({ className, title }: HTMLTimeElement, ahead: number): string {
  const duration = formatDuration(Math.abs(ahead));
  if (className === "since") return `for ${duration}`;
  if (className === "until") return ahead > 0 ? `for another ${duration}` : title;
  return ahead > 0 ? `in ${duration}` : `${duration} ago`;
}
