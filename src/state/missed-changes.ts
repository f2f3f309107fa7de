import { dayMs, daysKept } from "./counts.ts";

/** How many more runs, or fewer, were missed in each hour or day, by its number since 1970. */
export type MissedChange = ReadonlyMap<number, number>;

/**
 * Returns how a run at `at` changes which runs were missed, by a node's first run before this one and the length of a
 * period. Runs are missed only between two runs, and not before a node's first run. A late run splits such a gap in
 * two. It begins further gaps if it is the node's first one now. `times` are those of the other runs, in order
 * (milliseconds).
 */
export function missedChanges(
  times: readonly number[],
  at: number,
  intervalMs: number,
): (from: number, periodMs: number) => MissedChange {
  const passed = times.findLastIndex((time) => time <= at) + 1;
  const before = times[passed - 1];
  const after = times.slice(passed);
  const [next] = after;
  const later = after.slice(1).map((end, index): Gap => [after[index] ?? end, end]);
  const changes = new Map<string, MissedChange>();

  const changeSince = (from: number, periodMs: number): MissedChange => {
    const opened = later.filter(([start]) => start < from);
    const closed: Gap[] = [];
    if (next !== undefined) opened.push([at, next]);
    if (before !== undefined && from <= before) {
      opened.push([before, at]);
      if (next !== undefined) closed.push([before, next]);
    }
    const change = new Map<number, number>();
    const add = (timestamp: number, missed: 1 | -1): void => {
      const period = Math.floor(timestamp / periodMs);
      change.set(period, (change.get(period) ?? 0) + missed);
    };
    for (const gap of opened) for (const timestamp of missedIn(gap, intervalMs)) add(timestamp, 1);
    for (const gap of closed) for (const timestamp of missedIn(gap, intervalMs)) add(timestamp, -1);
    return change;
  };
  // Most nodes began with the same run.
  return (from, periodMs) => {
    const key = `${from} ${periodMs}`;
    const change = changes.get(key) ?? changeSince(from, periodMs);
    changes.set(key, change);
    return change;
  };
}

type Gap = readonly [start: number, end: number];

/** Returns the times between two runs at which others were due, within the period that is kept. */
function missedIn([start, end]: Gap, intervalMs: number): number[] {
  const missed = Math.round((end - start) / intervalMs) - 1;
  const kept = Math.min(missed, Math.floor((daysKept * dayMs) / intervalMs));
  return Array.from({ length: kept }, (_, index) => end - (kept - index) * intervalMs);
}
