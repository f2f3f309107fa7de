import { type Count, nothing, type PackedCounts, readCounts, sum } from "../state/counts.ts";
import { daysShown } from "../base/text/count.ts";

/** The counts of hours or days. Each key is the number of the hour or day since 1970. */
export type Counts = ReadonlyMap<number, Count>;

export function mergeCounts(packed: readonly PackedCounts[]): Counts {
  const counts = new Map<number, Count>();
  for (const one of packed)
    for (const { period, count } of readCounts(one)) {
      const other = counts.get(period);
      counts.set(period, other === undefined ? count : sum(other, count));
    }
  return counts;
}

/**
 * Returns the uptime over the `length` periods before `end`. The coverage is the mean of the periods' observed shares,
 * which are 0 before the feed existed.
 */
export function uptimeBefore(counts: Counts, end: number, length: number) {
  let ok = 0;
  let failed = 0;
  let covered = 0;
  for (const count of periodsBefore(counts, end, length)) {
    ok += count.ok;
    failed += count.failed;
    const observed = count.ok + count.failed;
    covered += observed / Math.max(1, observed + count.unobserved);
  }
  return {
    /** The share of good answers, 0 to 1. Undefined without observations. */
    ratio: ok + failed === 0 ? undefined : roundShare(ok / (ok + failed), 4),
    /** The share of the window that was observed, 0 to 1. */
    coverage: roundShare(covered / length, 2),
  };
}

export function totalBefore(counts: Counts, end: number, length: number): Count {
  return periodsBefore(counts, end, length).reduce(sum, nothing);
}

export type Day = Readonly<ReturnType<typeof daysBefore>[number]>;

/** Returns the whole days before today (in UTC), from the first with a count to yesterday. */
export function daysBefore(counts: Counts, today: number) {
  const counted = [...counts.keys()].filter((day) => today - daysShown <= day && day < today);
  const first = Math.min(today, ...counted);
  return periodsBefore(counts, today, today - first).map((count, index) => ({
    /** Counted from 1970-01-01. */
    day: first + index,
    ok: count.ok,
    failed: count.failed,
    unobserved: count.unobserved,
    /** Latencies in milliseconds, null on days without one. */
    mean: meanLatencyOf(count),
    min: count.latencyMax > 0 ? count.latencyMin : null,
    max: count.latencyMax > 0 ? count.latencyMax : null,
  }));
}

/**
 * Returns the mean latency of the seven days before today in whole milliseconds, each day with the same weight. Today
 * does not count, because otherwise every run would change documents and the order of mirrors.
 */
export function meanLatency(counts: Counts, today: number): number | undefined {
  const means = periodsBefore(counts, today, 7).flatMap((count) => meanLatencyOf(count) ?? []);
  return means.length === 0 ? undefined : Math.round(means.reduce((all, one) => all + one, 0) / means.length);
}

function meanLatencyOf({ ok, latencySum, latencyMax }: Count): number | null {
  return latencyMax > 0 ? Math.round(latencySum / ok) : null;
}

function periodsBefore(counts: Counts, end: number, length: number): Count[] {
  const periods: Count[] = [];
  for (let period = end - length; period < end; period += 1) periods.push(counts.get(period) ?? nothing);
  return periods;
}

/** Rounds a share coarsely, so that most runs leave the report unchanged. Only a share of exactly 0 or 1 becomes 0 or 1. */
function roundShare(share: number, decimals: number): number {
  if (share === 0 || share === 1) return share;
  const scale = 10 ** decimals;
  return Math.min(Math.max(Math.round(share * scale), 1), scale - 1) / scale;
}
