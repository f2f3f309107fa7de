import { formatDuration, minuteMs, parseDuration } from "../core/base/text/time.ts";
import type { Run } from "../core/feed/feed-run.ts";
import { heartbeatOf } from "../core/site/site-paths.ts";
import type { ConfigChecks } from "../features/validate/validate-command.ts";
import { loadOwnFiles } from "./own-files.ts";

export const configChecks: ConfigChecks = {
  /** Loads the channels only if there are any, because that takes long. */
  problemsOf: async (config, environment) => {
    if (Object.keys(config.channels).length === 0) return [];
    const { channelProblems } = await import("../features/notify/secrets.ts");
    return channelProblems(config, environment);
  },
  intervalProblemOf: ({ site }, out) =>
    intervalProblem(parseDuration(site.interval), heartbeatOf(out)?.interval.median_seconds),
  loadOwnFiles,
};

/** How much longer than scheduled the interval between runs may be. */
const maxSlowness = 1.5;

/** Returns a warning in the run in which it becomes known that runs are much rarer than `site.interval` says. */
export function intervalNote(before: Pick<Run, "interval"> | undefined, { interval }: Run): string[] {
  const scheduledMs = interval.scheduled_minutes * minuteMs;
  if (intervalProblem(scheduledMs, before?.interval.median_seconds) !== undefined) return [];
  const problem = intervalProblem(scheduledMs, interval.median_seconds);
  return problem === undefined ? [] : [`Warning: site.interval ${problem}.`];
}

/** Returns what is wrong with an interval if runs, whose median interval is given, are much rarer. */
export function intervalProblem(scheduledMs: number, medianSeconds = 0): string | undefined {
  if (medianSeconds * 1000 <= maxSlowness * scheduledMs) return undefined;
  const minutes = Math.ceil(medianSeconds / 60);
  const value = minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
  return `is ${formatDuration(scheduledMs)}, but runs are ${formatDuration(minutes * minuteMs)} apart; set it to ${value}, or run more often`;
}
