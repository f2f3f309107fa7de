const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type UnitWords = readonly [one: string, more: string];

/**
 * Returns a duration in milliseconds in words of one unit: `25 minutes`, `3 hours`, `12 days`. A negative one, as from
 * clocks that differ, counts as zero.
 */
export function formatDuration(duration: number): string {
  return durationIn(duration, "less than a minute", {
    minute: ["minute", "minutes"],
    hour: ["hour", "hours"],
    day: ["day", "days"],
  });
}

/** Returns a duration in the words of any language. */
export function durationIn(
  duration: number,
  none: string,
  units: Readonly<Record<"minute" | "hour" | "day", UnitWords>>,
): string {
  if (duration < minute) return none;
  if (duration < 2 * hour) return formatUnits(duration / minute, units.minute);
  if (duration < 2 * day) return formatUnits(duration / hour, units.hour);
  return formatUnits(duration / day, units.day);
}

function formatUnits(amount: number, [one, more]: UnitWords): string {
  const whole = Math.floor(amount);
  return `${whole} ${whole === 1 ? one : more}`;
}

/** Returns a duration such as 500ms, 60s, 5m, 1h or 2d in milliseconds, or NaN if it is not valid. */
export function parseDuration(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  return Number(amount) * (units.get(unit) ?? Number.NaN);
}

/** Returns why a text is not a duration if it is only a number, as the start of a sentence with the remedy. */
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
