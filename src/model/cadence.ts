import type { State } from "../state/document.ts";

/** How far apart runs really are, whatever the schedule asks for. */
export interface Cadence {
  readonly medianMs: number;
  readonly p90Ms: number;
}

const minGaps = 3;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The gaps between the last runs; undefined where there are fewer than three of them. */
export function measureCadence(runs: State["runs"]): Cadence | undefined {
  const gaps = runs
    .slice(1)
    .map(([, at], index) => at - (runs[index]?.[1] ?? at))
    .sort((left, right) => left - right);
  if (gaps.length < minGaps) return undefined;
  return { medianMs: nearestRank(gaps, 0.5), p90Ms: nearestRank(gaps, 0.9) };
}

/**
 * How long a feed may be trusted after a run: twice the measured 90th percentile of the gaps, half an hour where
 * nothing is measured yet, since schedulers do not keep to short schedules. Never less than three scheduled intervals
 * and 15 minutes; never more than a day beyond those, so that a feed that stands still is not trusted for ever.
 */
export function stalenessMs(intervalMinutes: number, cadence: Cadence | undefined): number {
  const least = Math.max(3 * intervalMinutes, 15) * minuteMs;
  const measured = 2 * (cadence?.p90Ms ?? 30 * minuteMs);
  return Math.min(Math.max(measured, least), least + dayMs);
}

function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
