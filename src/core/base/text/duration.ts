import { formatCount } from "./count.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Formats milliseconds in a single unit: `25 minutes`, `3 hours`, `12 days`. Negative durations, which come from clocks
 * that disagree, count as zero.
 */
export function formatDuration(duration: number): string {
  if (duration < minute) return "less than a minute";
  if (duration < 2 * hour) return formatCount(Math.floor(duration / minute), "minute");
  if (duration < 2 * day) return formatCount(Math.floor(duration / hour), "hour");
  return formatCount(Math.floor(duration / day), "day");
}

/** Parses a duration such as 500ms, 60s, 5m, 1h or 2d into milliseconds. Returns NaN if it is not valid. */
export function parseDuration(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  return Number(amount) * (units.get(unit) ?? Number.NaN);
}

/** If the text is a bare number, returns the end of an error message that asks for a unit. */
export function missingUnit(text: string): string | undefined {
  return /^\d{1,6}$/.test(text) ? `, since it has no unit; write ${text}s, ${text}m or ${text}h` : undefined;
}

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
