import { percent } from "./count.ts";
import { durationIn } from "./duration.ts";

/** Nominative: `2 Tage`. */
export function germanDuration(duration: number): string {
  return durationIn(duration, "weniger als eine Minute", {
    minute: ["Minute", "Minuten"],
    hour: ["Stunde", "Stunden"],
    day: ["Tag", "Tage"],
  });
}

/** Dative, which follows `seit`, `vor` and `nach`: `2 Tagen`. */
export function germanDative(duration: number): string {
  return germanDuration(duration)
    .replace(/eine Minute$/, "einer Minute")
    .replace(/Tage$/, "Tagen");
}

export function germanCount(count: number, singular: string, plural: string): string {
  return `${germanInteger(count)} ${count === 1 ? singular : plural}`;
}

export function germanDayCount(count: number): string {
  return germanCount(count, "Tag", "Tage");
}

export function germanPercent(share: number, decimals?: number): string {
  return percent(share, decimals).replace(".", ",");
}

export function germanInteger(count: number): string {
  return count.toLocaleString("de");
}
