import type { Days } from "../model/uptime.ts";
import { percent } from "../text/count.ts";
import { dateAt, dayAt, type DayKind, dayKind } from "./days.tsx";

/**
 * The rows of the table of days, the newest first: the date, what happened, how much was observed, the latencies.
 * They are most of a target's page, so they are written as text, without the end tags that HTML lets be left out;
 * nothing in them is from outside but numbers and dates.
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
      const cells = [dateAt(days, index), words[kind](day.failed, observed), coverage, ...latencies];
      return `<tr class="${kind}"><td>${cells.join("<td>")}`;
    })
    .reverse()
    .join("");
}

const words: Readonly<Record<DayKind, (failed: number, observed: number) => string>> = {
  good: () => "online",
  some: (failed, observed) => `${failed} of ${observed} failed`,
  bad: (failed, observed) => (failed === observed ? "offline" : `${failed} of ${observed} failed`),
  unobserved: () => "not observed",
  before: () => "nothing known",
};
