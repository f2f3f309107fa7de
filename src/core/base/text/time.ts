import { formatCount } from "./count.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** `25 minutes`, `3 hours`, `12 days`. Negative durations, from clocks that disagree, count as zero. */
export function formatDuration(duration: number): string {
  if (duration < minuteMs) return "less than a minute";
  if (duration < 2 * hourMs) return formatCount(Math.floor(duration / minuteMs), "minute");
  if (duration < 2 * dayMs) return formatCount(Math.floor(duration / hourMs), "hour");
  return formatCount(Math.floor(duration / dayMs), "day");
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

const units = new Map(Object.entries({ ms: 1, s: 1000, m: minuteMs, h: hourMs, d: dayMs }));

/** Formats ISO 8601 timestamps for people, in a time zone. */
export type Format = Readonly<ReturnType<typeof formatIn>>;

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const timeOfDay = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** `timeZone` is an IANA name, such as `Europe/Berlin`. */
export function formatIn(timeZone: string) {
  const formatter = (options: Intl.DateTimeFormatOptions): ((text: string) => string) => {
    // Created on first use, because creating a formatter takes longer than many calls to it.
    let form: Intl.DateTimeFormat | undefined;
    return (text) => (form ??= new Intl.DateTimeFormat("en-GB", options)).format(Date.parse(text));
  };
  const long = { ...date, ...timeOfDay, timeZone };
  return {
    /** `2 Nov 2026, 07:00 UTC` */
    timestamp: formatter(long),
    /** `2 Nov 2026, 07:00–09:00 UTC` */
    range: (from: string, to: string) =>
      new Intl.DateTimeFormat("en-GB", long).formatRange(Date.parse(from), Date.parse(to)),
    /** `2 Nov 2026` */
    date: formatter({ ...date, timeZone }),
    /** `November 2026` */
    month: formatter({ month: "long", year: "numeric", timeZone }),
  };
}
