import { all } from "./elements.ts";
import { spanText } from "../span.ts";

/** Writes every moment of the page as how far it is from now (epoch milliseconds); its title keeps the words it had. */
export function tellTimes(now: number): void {
  for (const time of all("main time, .stale time")) {
    time.title ||= time.textContent;
    const text = textOf(time, Date.parse(time.dateTime) - now);
    if (time.textContent !== text) time.textContent = text;
  }
}

function textOf({ className, title }: HTMLTimeElement, ahead: number): string {
  const span = spanText(Math.abs(ahead));
  if (className === "since") return `for ${span}`;
  if (className === "until") return ahead > 0 ? `for another ${span}` : title;
  return ahead > 0 ? `in ${span}` : `${span} ago`;
}
