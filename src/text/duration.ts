const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Returns a duration in milliseconds in words of one unit: `25 minutes`, `3 hours`, `12 days`. A negative one, as from
 * clocks that differ, counts as zero.
 */
export function formatDuration(duration: number): string {
  if (duration < minute) return "less than a minute";
  if (duration < 2 * hour) return formatUnits(duration / minute, "minute");
  if (duration < 2 * day) return formatUnits(duration / hour, "hour");
  return formatUnits(duration / day, "day");
}

function formatUnits(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return whole === 1 ? `1 ${unit}` : `${whole} ${unit}s`;
}

/** Returns a duration such as 500ms, 60s, 5m, 1h or 2d in milliseconds, or NaN if it is not valid. */
export function parseDuration(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  return Number(amount) * (units.get(unit) ?? Number.NaN);
}

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
