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
