import { percent } from "./count.ts";
import { durationIn } from "./duration.ts";

/** Returns a duration in the nominative: `2 Tage`. */
export function germanDuration(duration: number): string {
  return durationIn(duration, "weniger als eine Minute", {
    minute: ["Minute", "Minuten"],
    hour: ["Stunde", "Stunden"],
    day: ["Tag", "Tage"],
  });
}

/** Returns a duration in the dative, which follows `seit`, `vor` and `nach`: `2 Tagen`. */
export function germanDative(duration: number): string {
  return germanDuration(duration)
    .replace(/eine Minute$/, "einer Minute")
    .replace(/Tage$/, "Tagen");
}

export function germanCount(count: number, one: string, more: string): string {
  return `${germanInteger(count)} ${count === 1 ? one : more}`;
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
