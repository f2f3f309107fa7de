import type { State } from "../state/schema.ts";

/** The measured time between runs, which often differs from the schedule. */
export interface Cadence {
  readonly medianMs: number;
  readonly p90Ms: number;
}

const minGaps = 3;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Returns the median and the 90th percentile of the gaps between the last runs, or undefined for fewer than three gaps. */
export function measureCadence(runs: State["runs"]): Cadence | undefined {
  const gaps = runs
    .slice(1)
    .map(([, at], index) => at - (runs[index]?.[1] ?? at))
    .sort((left, right) => left - right);
  if (gaps.length < minGaps) return undefined;
  return { medianMs: nearestRank(gaps, 0.5), p90Ms: nearestRank(gaps, 0.9) };
}

/**
 * Returns how long a feed may be trusted after a run, in milliseconds: twice the measured 90th percentile of the gaps, since
 * schedulers do not keep to short schedules. Without a measurement it assumes gaps of 30 minutes. The minimum is three
 * scheduled intervals or 15 minutes, whichever is longer. The maximum is a day more, so that every stopped feed expires.
 */
export function stalenessMs(intervalMs: number, cadence: Cadence | undefined): number {
  const minimum = Math.max(3 * intervalMs, 15 * minuteMs);
  const measured = 2 * (cadence?.p90Ms ?? 30 * minuteMs);
  return Math.min(Math.max(measured, minimum), minimum + dayMs);
}

function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
