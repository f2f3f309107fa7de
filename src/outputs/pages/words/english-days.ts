import { formatCount, formatInteger, percent } from "../../../base/text/count.ts";

/** Every word of the script that shows days, in English. */
export const englishDays = {
  locale: "en-GB",
  toLastRun: "up to the last run",
  noData: "No data",
  notObserved: "Not observed",
  noFailure: "No failure",
  failed: (failed: number, of: number): string => `${formatInteger(failed)} of ${formatInteger(of)} failed`,
  latency: (mean: number, min?: number, max?: number): string =>
    min === undefined ? `Latency ${mean} ms` : `Latency ${mean} ms (${min} to ${max})`,
  observed: (percentage: string): string => `${percentage} observed`,
  online: "online",
  offline: "offline",
  observedCode: (code: string): string => `${code} in the last run`,
  unavailable: "The days could not be loaded.",
  dayByDay: "Day by day",
  columns: ["Day, UTC", "Result", "Observed", "Mean ms", "Min", "Max"],
  range: "Days shown",
  days: (count: number): string => formatCount(count, "day"),
  percent,
};

export type DayWords = typeof englishDays;
