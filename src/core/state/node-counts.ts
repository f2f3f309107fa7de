import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import { addCounts, type Count, daysKept, hoursKept, nothing, type PackedCounts } from "./counts.ts";
import { type NodeTally, timesKept, type VantageState } from "./state-schema.ts";
import { dayMs, hourMs } from "../base/text/time.ts";
import { evidence } from "../kinds/kinds.ts";

const untouched: NodeTally = { from: Infinity, hours: "", days: "" };

/**
 * Counts each observation of an online vantage in its hour and day, and missed runs as unobserved. Runs can arrive in
 * any order. Once times were dropped, a run older than all kept ones is ignored, since it may already count as missed.
 */
export function updateNodeCounts(
  previous: VantageState | undefined,
  nodes: readonly Node[],
  observed: (node: Node) => Observation | undefined,
  at: number,
  intervalMs: number,
): VantageState {
  const known = previous?.times ?? [];
  if (previous !== undefined && known.length === timesKept && at < (known[0] ?? at)) return previous;
  const isLate = at < (known.at(-1) ?? at);
  const times = [...known, at].sort((left, right) => left - right);
  const changes = missedChanges(known, times, at, intervalMs);
  const kept = times.slice(-timesKept);
  const [oldest = at] = kept;

  const tallied = nodes.map((node): [string, NodeTally] => {
    const { code, from: first = 0, hours, days } = previous?.nodes[node.id] ?? untouched;
    const observation = observed(node);
    const own = countOf(observation);
    const counted = (packed: PackedCounts, periodMs: number, keep: number): PackedCounts => {
      const period = Math.floor(at / periodMs);
      const missed = changes(first, periodMs);
      const unobserved = own.unobserved + (missed.get(period)?.unobserved ?? 0);
      return addCounts(packed, new Map(missed).set(period, { ...own, unobserved }), keep);
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

/**
 * Returns a function from a node's first run so far, and the length of a period, to the changes of its missed runs in
 * each period since 1970. Runs are missed only in the gap between two runs, and not before a node's first run. A late
 * run splits a gap in two. If it becomes the node's first run, the gaps after it count, too.
 */
function missedChanges(before: readonly number[], after: readonly number[], at: number, intervalMs: number) {
  // Gaps that end before this run stay as they are.
  const since = before.findLast((time) => time <= at) ?? at;
  const missed = (times: readonly number[], from: number): number[] =>
    times.slice(0, -1).flatMap((start, index) => {
      const end = times[index + 1] ?? start;
      return start < from || start < since ? [] : missedIn(start, end, intervalMs);
    });
  const changes = new Map<string, Map<number, Count>>();
  // Cached, because most nodes have the same first run.
  return (from: number, periodMs: number): ReadonlyMap<number, Count> => {
    const key = `${from} ${periodMs}`;
    const change = changes.get(key) ?? new Map<number, Count>();
    if (changes.has(key)) return change;
    const add = (timestamp: number, count: 1 | -1): void => {
      const period = Math.floor(timestamp / periodMs);
      const { unobserved } = change.get(period) ?? nothing;
      change.set(period, { ...nothing, unobserved: unobserved + count });
    };
    for (const timestamp of missed(after, Math.min(from, at))) add(timestamp, 1);
    for (const timestamp of missed(before, from)) add(timestamp, -1);
    changes.set(key, change);
    return change;
  };
}

/** Returns when runs were due between two runs but did not happen, without the days that are no longer kept. */
function missedIn(start: number, end: number, intervalMs: number): number[] {
  const missed = Math.round((end - start) / intervalMs) - 1;
  const kept = Math.min(missed, Math.floor((daysKept * dayMs) / intervalMs));
  return Array.from({ length: kept }, (_, index) => end - (kept - index) * intervalMs);
}

function countOf(observation: Observation | undefined): Count {
  const status = evidence(observation?.code);
  if (status === undefined) return { ...nothing, unobserved: 1 };
  if (status === 0) return { ...nothing, failed: 1 };
  // Zero would mean that no latency is known, and more than a day can only come from a clock that was changed.
  const latency = Math.min(Math.max(1, observation?.latency_ms ?? 1), dayMs);
  return { ...nothing, ok: 1, latencySum: latency, latencyMin: latency, latencyMax: latency };
}
