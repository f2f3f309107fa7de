import type { Days } from "../model/uptime.ts";
import { percent } from "../text/count.ts";
import { dateAt, dayAt, type DayKind, dayKind } from "./days.tsx";

/**
 * Returns the rows of the table of days as HTML, newest first: date, result, coverage and latencies. They are most of a
 * target's page, so they are plain text without the end tags that HTML makes optional. They need no escaping, since they hold
 * only numbers, dates and fixed words.
 */
export function dayRows(days: Days): string {
  const { mean, min, max } = days.latency_ms;
  return days.ok
    .map((_, index) => {
      const day = dayAt(days, index);
      const kind = dayKind(day);
      const observed = day.ok + day.failed;
      const due = observed + day.unobserved;
      const coverage = due === 0 ? "–" : percent(observed / due, 0);
      const latencies = [mean[index], min[index], max[index]].map((one) => one ?? "–");
      const cells = [dateAt(days, index), results[kind](day.failed, observed), coverage, ...latencies];
      return `<tr class="${kind}"><td>${cells.join("<td>")}`;
    })
    .reverse()
    .join("");
}

const results: Readonly<Record<DayKind, (failed: number, observed: number) => string>> = {
  good: () => "online",
  some: (failed, observed) => `${failed} of ${observed} failed`,
  bad: (failed, observed) => (failed === observed ? "offline" : `${failed} of ${observed} failed`),
  unobserved: () => "not observed",
  before: () => "no data",
};
