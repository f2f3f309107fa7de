import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import { addCount, type Count, daysKept, hoursKept, nothing, type PackedCounts } from "./counts.ts";
import { type NodeTally, timesKept, type VantageState } from "./state-schema.ts";
import { dayMs, hourMs } from "../base/text/duration.ts";
import { evidence } from "../kinds/kinds.ts";

const untouched: NodeTally = { from: Infinity, hours: "", days: "" };

/**
 * Updates a vantage's state after a run in which the vantage was online: stores each node's latest code, adds each
 * observation to the counts of its hour and day, and counts missed runs as unobserved. Runs can arrive in any order.
 * Only the newest run times are kept. Once any were dropped, a run older than all kept ones is ignored, since it may
 * already count as missed.
 */
export function updateNodeCounts(
  previous: VantageState | undefined,
  nodes: readonly Node[],
  observed: (node: Node) => Observation | undefined,
  at: number,
  intervalMs: number,
): VantageState {
  if (previous !== undefined && isTooLate(previous, at)) return previous;
  const known = previous?.times ?? [];
  const isLate = at < (known.at(-1) ?? at);
  const times = [...known, at].sort((left, right) => left - right);
  const changes = missedChanges(known, times, at, intervalMs);
  const kept = times.slice(-timesKept);
  const [oldest = at] = kept;

  const tallied = nodes.map((node): [string, NodeTally] => {
    const { code, from: first = 0, hours, days } = previous?.nodes[node.id] ?? untouched;
    const observation = observed(node);
    const counted = (packed: PackedCounts, periodMs: number, keep: number): PackedCounts => {
      const changed = [...changes(first, periodMs)].reduce(
        (counts, [period, unobserved]) => addCount(counts, period, { ...nothing, unobserved }, keep),
        packed,
      );
      return addCount(changed, Math.floor(at / periodMs), countOf(observation), keep);
    };
    const from = Math.min(first, at);
    return [
      String(node.id),
      {
        code: isLate ? code : observation?.code,
        from: from < oldest ? undefined : from,
        hours: counted(hours, hourMs, hoursKept),
        days: counted(days, dayMs, daysKept),
      },
    ];
  });
  return { times: kept, nodes: Object.fromEntries(tallied) };
}

/** Returns whether a run is older than all kept run times although there may have been older ones. */
function isTooLate({ times }: VantageState, at: number): boolean {
  const [oldest = at] = times;
  return at < oldest && times.length === timesKept;
}

/** By how much the number of missed runs changes in each hour or day. Hours and days are numbered from 1970. */
type MissedChange = ReadonlyMap<number, number>;

/**
 * Returns a function that tells how a run at `at` changes a node's numbers of missed runs. Its parameters are the time
 * of the node's first run so far and the length of a period. Runs count as missed only in the gap between two runs, and
 * not before a node's first run. A late run splits a gap in two. If a late run becomes the node's first run, the gaps
 * after it count, too.
 */
function missedChanges(
  before: readonly number[],
  after: readonly number[],
  at: number,
  intervalMs: number,
): (from: number, periodMs: number) => MissedChange {
  // Gaps that end before this run stay as they are.
  const since = before.findLast((time) => time <= at) ?? at;
  const missed = (times: readonly number[], from: number): number[] =>
    times.flatMap((end, index) => {
      const start = times[index - 1];
      return start === undefined || start < from || start < since ? [] : missedIn(start, end, intervalMs);
    });
  const changes = new Map<string, MissedChange>();
  // Cached, because most nodes have the same first run.
  return (from, periodMs) => {
    const key = `${from} ${periodMs}`;
    const known = changes.get(key);
    if (known !== undefined) return known;
    const change = new Map<number, number>();
    const add = (timestamp: number, count: 1 | -1): void => {
      const period = Math.floor(timestamp / periodMs);
      change.set(period, (change.get(period) ?? 0) + count);
    };
    for (const timestamp of missed(after, Math.min(from, at))) add(timestamp, 1);
    for (const timestamp of missed(before, from)) add(timestamp, -1);
    changes.set(key, change);
    return change;
  };
}

/**
 * Returns the times between two runs at which a run was due but did not happen. Leaves out times before the days that
 * are kept.
 */
function missedIn(start: number, end: number, intervalMs: number): number[] {
  const missed = Math.round((end - start) / intervalMs) - 1;
  const kept = Math.min(missed, Math.floor((daysKept * dayMs) / intervalMs));
  return Array.from({ length: kept }, (_, index) => end - (kept - index) * intervalMs);
}

function countOf(observation: Observation | undefined): Count {
  const status = evidence(observation?.code);
  if (status === undefined) return { ...nothing, unobserved: 1 };
  if (status === 0) return { ...nothing, failed: 1 };
  // A latency of zero would mean that none is known, and one of more than a day can only come from a clock that was
  // changed.
  const latency = Math.min(Math.max(1, observation?.latency_ms ?? 1), dayMs);
  return { ...nothing, ok: 1, latencySum: latency, latencyMin: latency, latencyMax: latency };
}
