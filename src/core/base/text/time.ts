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

/** Formats epoch milliseconds as ISO 8601 in UTC, with milliseconds. All documents use this format. */
export function isoTimestamp(at: number): string {
  return new Date(at).toISOString();
}

export function timestampIfAny(at: number | undefined): string | undefined {
  return at === undefined ? undefined : isoTimestamp(at);
}

/** Formats a day, counted from 1970-01-01, as an ISO 8601 date in UTC. */
export function isoDay(day: number): string {
  return isoTimestamp(day * 86_400_000).slice(0, 10);
}

export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/** Of an epoch, only the first word counts, as in mirmon. `http-date` can also be the output of date(1). */
export const timestampFormats = ["epoch", "iso", "http-date"] as const;

export type TimestampFormat = (typeof timestampFormats)[number];

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const time = String.raw`(?<hours>\d\d?):(?<minutes>\d\d):(?<seconds>\d\d)(?:[.,]\d+)?`;
const monthName = `(?<name>${months.join("|")})`;
const weekday = "(?:[A-Z][a-z]+,? +)?";
const zone = String.raw`(?<zone>Z|GMT|UTC|[+-]\d\d:?\d\d)`;

const patterns = {
  iso: [new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ]${time} ?${zone}?)?$`)],
  // RFC 9110, 5.6.7, with the time zones of RFC 5322; then the output of date(1).
  "http-date": [
    new RegExp(String.raw`^${weekday}(?<day>\d\d?) ${monthName} (?<year>\d{4}) ${time} ${zone}$`),
    new RegExp(String.raw`^${weekday}${monthName} +(?<day>\d\d?) ${time} (?:${zone} )?(?<year>\d{4})$`),
  ],
};

/** Parses the first line into epoch milliseconds. Times without a time zone are in UTC. */
export function parseTimestamp(text: string, format: TimestampFormat): number | undefined {
  const line = (text.trim().split(/\r?\n/, 1)[0] ?? "").trim();
  if (format === "epoch") {
    const seconds = /^\d{1,15}(?:\.\d{1,9})?(?=\s|$)/.exec(line)?.[0];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  }
  for (const pattern of patterns[format]) {
    const { groups } = pattern.exec(line) ?? {};
    if (groups !== undefined) return timeOf(groups);
  }
  return undefined;
}

function timeOf(groups: Readonly<Record<string, string | undefined>>): number | undefined {
  const number = (name: string): number => Number(groups[name] ?? 0);
  const name = groups["name"];
  const month = name === undefined ? number("month") - 1 : months.indexOf(name);
  const [year, day, hours, minutes] = [number("year"), number("day"), number("hours"), number("minutes")];
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  // Leap seconds are written as 60.
  if (date.getUTCMonth() !== month || hours > 23 || minutes > 59 || number("seconds") > 60) return undefined;
  const [, sign, zoneHours, zoneMinutes] = /^([+-])(\d\d):?(\d\d)$/.exec(groups["zone"] ?? "") ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0));
  return date.setUTCHours(hours, minutes - offset, number("seconds"));
}

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
