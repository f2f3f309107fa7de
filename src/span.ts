const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * A span of time in milliseconds, in words of one unit: `25 minutes`, `3 hours`, `12 days`. One below zero, as of clocks
 * that differ, counts as none.
 */
export function spanText(span: number): string {
  if (span < minute) return "less than a minute";
  if (span < 2 * hour) return counted(span / minute, "minute");
  if (span < 2 * day) return counted(span / hour, "hour");
  return counted(span / day, "day");
}

function counted(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return whole === 1 ? `1 ${unit}` : `${whole} ${unit}s`;
}
