import type { Cron } from "croner";
import { formatDuration, parseDuration } from "../../core/base/text/duration.ts";
import { quote } from "../../core/base/text/quote.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import type { Host } from "../hosts/host.ts";

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
  const problem = configSchema.shape.site.safeParse({ interval: text }).error?.issues[0]?.message;
  if (problem !== undefined) return `${quote(text)} ${problem}`;
  if (host.delivery.workflow === undefined || cronOf(text) !== undefined) return undefined;
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
export async function scheduleWarning(
  workflow: string,
  interval: string,
  path: string,
): Promise<string | undefined> {
  const lines = workflow.matchAll(/^\s*- cron: *["']?([^"'#\n]+)/gm);
  const crons = [...lines].map(([, cron = ""]) => cron.trim());
  if (crons.length === 0) return undefined;
  const fitting = cronOf(interval);
  if (crons.length === 1 && crons[0] === fitting) return undefined;
  const remedy = fitting === undefined ? "change the schedule" : `write ${quote(fitting)} there`;
  const gaps = await gapsOf(crons);
  if (gaps === undefined || gaps.shortest < minMinutes)
    return `cannot be met: ${path} has ${crons.map(quote).join(" and ")}, but GitHub needs five fields and at least ${minMinutes} minutes between runs; ${remedy}`;
  const { longest } = gaps;
  if (longest * 60_000 === parseDuration(interval)) return undefined;
  if (longest > maxMinutes)
    return `is ${interval}, but the schedule of ${path} leaves more than 7 days between runs; ${remedy}`;
  const named = longest % hour === 0 ? `${longest / hour}h` : `${longest}m`;
  return `is ${interval}, but the schedule of ${path} leaves up to ${formatDuration(longest * 60_000)} between runs; write ${named} here, or ${remedy}`;
}

/** Any two weeks contain every gap that `site.interval` can name. */
const firstDay = Date.UTC(2028, 0, 3);
const lastDay = Date.UTC(2028, 0, 18);

/** Returns the shortest and longest time between two runs, in minutes, or undefined if an expression is not valid. */
async function gapsOf(crons: readonly string[]): Promise<{ shortest: number; longest: number } | undefined> {
  const { Cron } = await import("croner");
  try {
    const runs = crons.flatMap((expression) => runsOf(expression, Cron)).sort((one, other) => one - other);
    const gaps = [...runs, lastDay].map((time, index) => (time - (runs[index - 1] ?? firstDay)) / 60_000);
    return { shortest: Math.min(...gaps.slice(1, -1)), longest: Math.max(...gaps) };
  } catch {
    return undefined;
  }
}

/** Returns the times of the runs within the two weeks. Throws if the cron expression is not valid. */
function runsOf(expression: string, Schedule: typeof Cron): number[] {
  const cron = new Schedule(expression, { mode: "5-part", sloppyRanges: true, utcOffset: 0 });
  const runs: number[] = [];
  for (let run = cron.nextRun(new Date(firstDay)); run && run.getTime() < lastDay; run = cron.nextRun(run))
    runs.push(run.getTime());
  return runs;
}
