import { quote } from "../text/quote.ts";

/** How often a feed is refreshed. */
export interface Schedule {
  /** As it is written for people and for mirrorfeed watch: 30m, 6h. */
  readonly text: string;
  readonly minutes: number;
  /** The same for GitHub, in five fields (POSIX crontab). */
  readonly cron: string;
}

const hour = 60;
const day = 24 * hour;
/** GitHub is busiest, and latest, at the start of an hour. */
const odd = 7;
/** GitHub runs nothing more often. */
const minMinutes = 5;

/** The schedule that is written so; undefined for one that cannot come at the same minutes of each hour or day. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, amount, unit] = /^([1-9]\d{0,2})([mh])$/.exec(text) ?? [];
  const minutes = Number(amount) * (unit === "h" ? hour : 1);
  const isRegular = minutes < hour ? hour % minutes === 0 : minutes % hour === 0 && day % minutes === 0;
  return minutes >= minMinutes && isRegular ? { text, minutes, cron: cronOf(minutes) } : undefined;
}

/** What is wrong with a schedule, or undefined. */
export function scheduleProblem(text: string): string | undefined {
  if (parseSchedule(text) !== undefined) return undefined;
  const withUnit = [`${text}m`, `${text}h`].filter((one) => parseSchedule(one) !== undefined);
  if (withUnit.length > 0) return `${quote(text)} has no unit; write ${withUnit.join(" or ")}`;
  return `${quote(text)} divides neither an hour nor a day evenly, or is less than five minutes; write 5m, 10m, 15m, 30m, 1h, 6h or 24h`;
}

function cronOf(minutes: number): string {
  if (minutes === hour) return `${odd} * * * *`;
  if (minutes === day) return `${odd} ${odd} * * *`;
  if (minutes > hour) return `${odd} */${minutes / hour} * * *`;
  const first = odd % minutes;
  const times = Array.from({ length: hour / minutes }, (_, index) => first + index * minutes);
  return `${times.join(",")} * * * *`;
}
