import { type Count, nothing, type PackedCounts, readCounts, sum } from "../state/counts.ts";
import { isoDay } from "./timestamp.ts";

/** What was counted in each hour, or each day, by its number since 1970. */
export type Counts = ReadonlyMap<number, Count>;

/** The uptime over some time: its ratio is undefined if nothing was observed. */
export interface UptimeWindow {
  readonly ratio: number | undefined;
  readonly coverage: number;
}

/** What was counted on whole days in UTC, in columns: the first entries are of the day `from`, the last of yesterday. */
export interface Days {
  readonly from: string;
  readonly ok: readonly number[];
  readonly failed: readonly number[];
  readonly unobserved: readonly number[];
  /** Milliseconds; null on a day without a latency. */
  readonly latency_ms: Readonly<Record<"mean" | "min" | "max", readonly (number | null)[]>>;
}

/** How many days before today are shown. */
export const daysShown = 90;

/** The counts of several vantages taken together. */
export function countTogether(packed: readonly PackedCounts[]): Counts {
  const counts = new Map<number, Count>();
  for (const { period, count } of packed.flatMap((one) => readCounts(one)))
    counts.set(period, sum(counts.get(period) ?? nothing, count));
  return counts;
}

/**
 * The uptime over the `length` periods before `end`. The ratio is of what was observed, and left out where nothing
 * was. The coverage is the share of the window that was observed: each period counts by the share of its runs that
 * were, and not at all where nothing was counted, as before the feed existed.
 */
export function uptimeBefore(counts: Counts, end: number, length: number): UptimeWindow {
  const window = periodsBefore(counts, end, length);
  const { ok, failed } = window.reduce(sum, nothing);
  const covered = window.reduce((total, count) => total + observedShare(count), 0);
  return {
    ratio: ok + failed === 0 ? undefined : rounded(ok / (ok + failed), 5),
    coverage: rounded(covered / length, 3),
  };
}

/** The whole days before today, from the first that has a count, as columns; undefined where none has one. */
export function daysBefore(counts: Counts, today: number): Days | undefined {
  const counted = [...counts.keys()].filter((day) => today - daysShown <= day && day < today);
  if (counted.length === 0) return undefined;
  const first = Math.min(...counted);
  const days = periodsBefore(counts, today, today - first);
  return {
    from: isoDay(first),
    ok: days.map(({ ok }) => ok),
    failed: days.map(({ failed }) => failed),
    unobserved: days.map(({ unobserved }) => unobserved),
    latency_ms: {
      mean: days.map(meanLatencyOf),
      min: days.map(({ latencyMin, latencyMax }) => (latencyMax > 0 ? latencyMin : null)),
      max: days.map(({ latencyMax }) => (latencyMax > 0 ? latencyMax : null)),
    },
  };
}

/** Returns the mean latency (milliseconds) of each of so many days before today; null for a day without a latency. */
export function latenciesBefore(counts: Counts, today: number, length: number): (number | null)[] {
  return periodsBefore(counts, today, length).map(meanLatencyOf);
}

function meanLatencyOf({ ok, latencySum, latencyMax }: Count): number | null {
  return latencyMax > 0 ? Math.round(latencySum / ok) : null;
}

function periodsBefore(counts: Counts, end: number, length: number): Count[] {
  return Array.from({ length }, (_, index) => counts.get(end - length + index) ?? nothing);
}

function observedShare({ ok, failed, unobserved }: Count): number {
  return (ok + failed) / Math.max(1, ok + failed + unobserved);
}

/** A share that is rounded, but not up to the 1 or down to the 0 that it is not. */
function rounded(share: number, decimals: number): number {
  if (share === 0 || share === 1) return share;
  const scale = 10 ** decimals;
  return Math.min(Math.max(Math.round(share * scale), 1), scale - 1) / scale;
}
