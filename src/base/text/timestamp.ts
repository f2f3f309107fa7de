/** Writes ISO 8601 timestamps as the readers of a language in a time zone expect them. */
export interface Format {
  /** `2 Nov 2026, 07:00 UTC` */
  readonly timestamp: (timestamp: string) => string;
  /** `2 Nov 2026, 07:00–09:00 UTC` */
  readonly range: (from: string, to: string) => string;
  /** `2 Nov 2026` */
  readonly date: (timestamp: string) => string;
  /** `November 2026` */
  readonly month: (timestamp: string) => string;
  /** Of a date in UTC: `2 Nov 2026` */
  readonly day: (date: string) => string;
}

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const timeOfDay = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** Returns the format of a locale and a time zone of the IANA database. */
export function formatIn(locale: string, timeZone: string): Format {
  const formatter = (options: Intl.DateTimeFormatOptions): ((text: string) => string) => {
    // Made on first use, because making it takes longer than formatting many times.
    let form: Intl.DateTimeFormat | undefined;
    return (text) => (form ??= new Intl.DateTimeFormat(locale, options)).format(Date.parse(text));
  };
  return {
    timestamp: formatter({ ...date, ...timeOfDay, timeZone }),
    range: (from, to) =>
      new Intl.DateTimeFormat(locale, { ...date, ...timeOfDay, timeZone }).formatRange(
        Date.parse(from),
        Date.parse(to),
      ),
    date: formatter({ ...date, timeZone }),
    month: formatter({ month: "long", year: "numeric", timeZone }),
    day: formatter({ ...date, timeZone: "UTC" }),
  };
}

/** Returns a time (epoch milliseconds) in ISO 8601, in UTC with milliseconds: the format of all documents. */
export function isoTimestamp(at: number): string {
  return new Date(at).toISOString();
}

export function timestampIfAny(at: number | undefined): string | undefined {
  return at === undefined ? undefined : isoTimestamp(at);
}

/** Returns a day (counted from 1970 on) as an ISO 8601 date in UTC. */
export function isoDay(day: number): string {
  return isoTimestamp(day * 86_400_000).slice(0, 10);
}

/** Returns a timestamp (ISO 8601 in UTC) for people, to the minute. */
export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/** Seconds since 1970 (the first word, as mirmon reads it), ISO 8601, or as in a header of HTTP. */
export const timestampFormats = ["epoch", "iso", "http-date"] as const;

export type TimestampFormat = (typeof timestampFormats)[number];

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const time = String.raw`(?<hours>\d\d?):(?<minutes>\d\d):(?<seconds>\d\d)(?:[.,]\d+)?`;
const monthName = `(?<name>${months.join("|")})`;
const weekday = "(?:[A-Z][a-z]+,? +)?";
const zone = String.raw`(?<zone>Z|GMT|UTC|[+-]\d\d:?\d\d)`;

const patterns = {
  iso: [new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ]${time} ?${zone}?)?$`)],
  // RFC 9110, 5.6.7, with the zones of RFC 5322; and what date(1) prints.
  "http-date": [
    new RegExp(String.raw`^${weekday}(?<day>\d\d?) ${monthName} (?<year>\d{4}) ${time} ${zone}$`),
    new RegExp(String.raw`^${weekday}${monthName} +(?<day>\d\d?) ${time} (?:${zone} )?(?<year>\d{4})$`),
  ],
};

/**
 * Returns the time that the first line of a text gives, in epoch milliseconds. It is in UTC if no zone is given.
 * Returns undefined if it is not a timestamp of this format.
 */
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
  // 60 is a leap second.
  if (date.getUTCMonth() !== month || hours > 23 || minutes > 59 || number("seconds") > 60) return undefined;
  const [, sign, zoneHours, zoneMinutes] = /^([+-])(\d\d):?(\d\d)$/.exec(groups["zone"] ?? "") ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0));
  return date.getTime() + ((hours * 60 + minutes - offset) * 60 + number("seconds")) * 1000;
}
