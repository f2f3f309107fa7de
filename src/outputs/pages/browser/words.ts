import { englishScript } from "../words/english.ts";
import { germanScript } from "../words/german.ts";

/** The words of the script in the language of the page. */
export const words = document.documentElement.lang === "de" ? germanScript : englishScript;

const form = new Intl.DateTimeFormat(words.locale, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

/** Returns an ISO 8601 timestamp in the time zone of the reader, with its name. */
export function formatTimestamp(timestamp: string): string {
  return form.format(Date.parse(timestamp));
}
