import { type DayWords, englishDays } from "../words/english-days.ts";
import { germanDays } from "../words/german-days.ts";

const { lang } = document.documentElement;

/** The words about days in the language of the page. */
export const words: DayWords = lang === "de" ? germanDays : englishDays;

const formatter = new Intl.DateTimeFormat(words.locale, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Returns an ISO 8601 date for people. */
export function dateText(date: string): string {
  return formatter.format(Date.parse(date));
}
