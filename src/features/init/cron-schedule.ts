import { formatList } from "../../core/base/text/count.ts";
import { formatDuration, parseDuration } from "../../core/base/text/duration.ts";
import { quote } from "../../core/base/text/quote.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import type { Host } from "../hosts/host.ts";

const minute = 60_000;
const hour = 60;
const day = 24 * hour;

/** Runs start at this minute of an hour, because GitHub is busiest at minute 0. */
const startMinute = 7;

/** GitHub's shortest interval, in minutes. */
const minMinutes = 5;

/** The longest `site.interval`, in minutes. */
const maxMinutes = 7 * day;

/**
 * Returns the problem with a feed's interval, or undefined. On GitHub, it must be possible to write the interval as a
 * cron expression.
 */
export function intervalProblem(text: string, host: Pick<Host, "delivery">): string | undefined {
  const withUnit = /^\d+$/.test(text) ? [`${text}m`, `${text}h`] : [];
  const meant = withUnit.filter((one) => intervalProblem(one, host) === undefined);
  if (meant.length > 0) return `${quote(text)} has no unit; write ${formatList(meant, "or")}`;
  const problem = configSchema.shape.site.safeParse({ interval: text }).error?.issues[0]?.message;
  if (host.delivery.workflow === undefined || Number.isNaN(parseDuration(text)))
    return problem && `${quote(text)} ${problem}`;
  if (cronOf(text) !== undefined) return undefined;
  return `${quote(text)} is shorter than five minutes, or does not divide an hour or a day evenly, so GitHub cannot schedule it; write 5m, 10m, 15m, 30m, 1h, 6h or 24h, or choose a host that needs no workflow`;
}

/**
 * Converts an interval such as 30m or 6h to a cron expression for GitHub. Returns undefined if it is shorter than five
 * minutes, or divides neither an hour nor a day evenly.
 */
export function cronOf(interval: string): string | undefined {
  const [, amount, unit] = /^([1-9]\d{0,2})([mh])$/.exec(interval) ?? [];
  const minutes = Number(amount) * (unit === "h" ? hour : 1);
  const isRegular = minutes < hour ? hour % minutes === 0 : minutes % hour === 0 && day % minutes === 0;
  if (!isRegular || minutes < minMinutes) return undefined;
  if (minutes === hour) return `${startMinute} * * * *`;
  if (minutes === day) return `${startMinute} ${startMinute} * * *`;
  if (minutes > hour) return `${startMinute} */${minutes / hour} * * *`;
  const first = startMinute % minutes;
  const times = Array.from({ length: hour / minutes }, (_, index) => first + index * minutes);
  return `${times.join(",")} * * * *`;
}

/**
 * If a workflow's schedule cannot keep `site.interval`, returns the problem, worded as the end of a sentence. A
 * workflow without a schedule is not a problem, because something else starts it.
 */
export function scheduleWarning(workflow: string, interval: string, path: string): string | undefined {
  const lines = [...workflow.matchAll(/^\s*- cron: *(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/gm)];
  const crons = lines.map(([, double, single, plain = ""]) => double ?? single ?? plain.trim());
  if (crons.length === 0) return undefined;
  const fitting = cronOf(interval);
  const parsed = crons.map(parseCron);
  const wrong = crons.find((_, index) => parsed[index] === undefined);
  const remedy = fitting === undefined ? "correct it" : `write ${quote(fitting)} there`;
  if (wrong !== undefined)
    return `cannot be met: ${path} has ${quote(wrong)}, which GitHub does not accept as a schedule; ${remedy}`;
  const { shortest, longest } = gapsOf(parsed.filter((cron) => cron !== undefined));
  if (shortest < minMinutes)
    return `cannot be met: ${path} has ${crons.map(quote).join(" and ")}, but GitHub starts runs at most every ${minMinutes} minutes; ${remedy}`;
  if (longest * minute === parseDuration(interval)) return undefined;
  const named = longest % hour === 0 ? `${longest / hour}h` : `${longest}m`;
  const remedies = [
    ...(longest > maxMinutes ? [] : [`write ${named} here`]),
    ...(fitting === undefined ? [] : [`write ${quote(fitting)} there`]),
  ];
  const wayOut = remedies.length === 0 ? "make it run more often" : remedies.join(", or ");
  return `is ${interval}, but the schedule of ${path} leaves up to ${formatDuration(longest * minute)} between runs; ${wayOut}`;
}

interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly isOn: (date: Date) => boolean;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Parses a cron expression. Returns undefined if GitHub would refuse it. */
function parseCron(text: string): Cron | undefined {
  const [minuteField = "", hourField = "", dayField = "", monthField = "", weekdayField = "", ...more] =
    text.split(/\s+/);
  const minutes = valuesOf(minuteField, 0, 59);
  const hours = valuesOf(hourField, 0, 23);
  const days = valuesOf(dayField, 1, 31);
  const inMonths = valuesOf(monthField, 1, 12, months);
  const onWeekdays = valuesOf(weekdayField, 0, 6, weekdays);
  if (!minutes || !hours || !days || !inMonths || !onWeekdays || more.length > 0) return undefined;
  // If both the day of the month and the day of the week are restricted, a date has to match only one of them (POSIX,
  // crontab).
  const isEither = !dayField.startsWith("*") && !weekdayField.startsWith("*");
  const isOn = (date: Date): boolean => {
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), onWeekdays.has(date.getUTCDay())];
    return inMonths.has(date.getUTCMonth() + 1) && (isEither ? isDay || isWeekday : isDay && isWeekday);
  };
  return daysOfYear.some(isOn) ? { minutes, hours, isOn } : undefined;
}

/** The days of a leap year, which has every day that a cron expression can name. */
const daysOfYear = Array.from({ length: 366 }, (_, index) => new Date(Date.UTC(2028, 0, 1 + index)));

/** Parses a field such as `*`, `5/15`, `1-5` or `MON,WED`. Returns undefined if it is not valid. */
function valuesOf(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): Set<number> | undefined {
  const valueOf = (text: string): number => {
    const index = names.indexOf(text.toLowerCase());
    return index < 0 ? Number(text) : index + min;
  };
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [, first = "", last, step] =
      /^(\*|\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?(?:\/([1-9]\d?))?$/i.exec(part) ?? [];
    const from = first === "*" ? min : valueOf(first);
    const to = last !== undefined ? valueOf(last) : first === "*" || step !== undefined ? max : from;
    if (first === "" || !(from >= min && from <= to && to <= max)) return undefined;
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

/** The shortest and longest time between two runs, in minutes. */
function gapsOf(crons: readonly Cron[]): { shortest: number; longest: number } {
  const times = daysOfYear.flatMap((date, index) => {
    const ofDay = crons.flatMap(({ minutes, hours, isOn }) =>
      isOn(date) ? [...hours].flatMap((at) => [...minutes].map((past) => at * hour + past)) : [],
    );
    return [...new Set(ofDay)].sort((one, other) => one - other).map((time) => index * day + time);
  });
  const year = daysOfYear.length * day;
  return times.slice(1).reduce(
    ({ shortest, longest }, time, index) => {
      const gap = time - (times[index] ?? 0);
      return { shortest: Math.min(shortest, gap), longest: Math.max(longest, gap) };
    },
    { shortest: year, longest: times.length < 2 ? year : 0 },
  );
}
