import { quote } from "../../base/text/quote.ts";

/** The interval in which a feed is refreshed. */
export interface Schedule {
  /** As options write it: 30m, 6h. */
  readonly text: string;
  readonly minutes: number;
  /** The same in the five fields of a POSIX crontab, as GitHub reads it. */
  readonly cron: string;
}

const hour = 60;
const day = 24 * hour;
/** Runs start at this minute, since GitHub is busy at the start of an hour and starts scheduled runs late. */
const startMinute = 7;
/** The minimum interval on GitHub. */
const minMinutes = 5;

/** Returns the schedule in a text such as 30m, or undefined if it divides neither an hour nor a day evenly. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, amount, unit] = /^([1-9]\d{0,2})([mh])$/.exec(text) ?? [];
  const minutes = Number(amount) * (unit === "h" ? hour : 1);
  const isRegular = minutes < hour ? hour % minutes === 0 : minutes % hour === 0 && day % minutes === 0;
  return minutes >= minMinutes && isRegular ? { text, minutes, cron: cronOf(minutes) } : undefined;
}

/** Returns what is wrong with a schedule, or undefined. */
export function scheduleProblem(text: string): string | undefined {
  if (parseSchedule(text) !== undefined) return undefined;
  const withUnit = [`${text}m`, `${text}h`].filter((one) => parseSchedule(one) !== undefined);
  if (withUnit.length > 0) return `${quote(text)} has no unit; write ${withUnit.join(" or ")}`;
  return `${quote(text)} divides neither an hour nor a day evenly, or is less than five minutes; write 5m, 10m, 15m, 30m, 1h, 6h or 24h`;
}

function cronOf(minutes: number): string {
  if (minutes === hour) return `${startMinute} * * * *`;
  if (minutes === day) return `${startMinute} ${startMinute} * * *`;
  if (minutes > hour) return `${startMinute} */${minutes / hour} * * *`;
  const first = startMinute % minutes;
  const times = Array.from({ length: hour / minutes }, (_, index) => first + index * minutes);
  return `${times.join(",")} * * * *`;
}
