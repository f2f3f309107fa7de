import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import {
  addCount,
  changeUnobserved,
  type Count,
  dayMs,
  daysKept,
  hourMs,
  hoursKept,
  nothing,
  type PackedCounts,
} from "./counts.ts";
import { type NodeTally, timesKept, type VantageState } from "./document.ts";
import { missedChanges } from "./missed-changes.ts";
import { evidence } from "./verdict.ts";

const untouched: NodeTally = { from: Infinity, hours: "", days: "" };

/**
 * Returns what a vantage keeps after a run in which it was online: the last code of each node, one more observation in
 * its hour and its day, and the missed runs as unobserved. Removed nodes are dropped. The order of runs does not change
 * the counts. A run that is older than all kept times is not counted, since it may have been counted as missed.
 */
export function updateNodeCounts(
  previous: VantageState | undefined,
  nodes: readonly Node[],
  observed: (node: Node) => Observation | undefined,
  at: number,
  intervalMs: number,
): VantageState {
  const known = previous?.times ?? [];
  if (previous !== undefined && isTooLate(previous, at)) return withOnly(previous, nodes);
  const isLate = at < (known.at(-1) ?? at);
  const times = [...known, at].sort((left, right) => left - right).slice(-timesKept);
  const [oldest = at] = times;
  const changes = missedChanges(known, at, intervalMs);

  const tallied = nodes.map((node): [string, NodeTally] => {
    const { code, from: first = 0, hours, days } = previous?.nodes[node.id] ?? untouched;
    const observation = observed(node);
    const counted = (packed: PackedCounts, periodMs: number, keep: number): PackedCounts => {
      const changed = [...changes(first, periodMs)].reduce(
        (counts, [period, change]) => changeUnobserved(counts, period, change, keep),
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
  return { times, nodes: Object.fromEntries(tallied) };
}

/** Returns whether a run is older than the kept times, and earlier times were dropped. */
function isTooLate({ times, nodes }: VantageState, at: number): boolean {
  const [oldest = at] = times;
  const isWhole = times.length < timesKept && Object.values(nodes).every(({ from }) => from !== undefined);
  return at < oldest && !isWhole;
}

function withOnly({ times, nodes: tallies }: VantageState, nodes: readonly Node[]): VantageState {
  const kept = new Set(nodes.map(({ id }) => String(id)));
  return { times, nodes: Object.fromEntries(Object.entries(tallies).filter(([id]) => kept.has(id))) };
}

function countOf(observation: Observation | undefined): Count {
  const status = evidence(observation?.code);
  if (status === undefined) return { ...nothing, unobserved: 1 };
  if (status === 0) return { ...nothing, failed: 1 };
  // A latency of zero would mean none.
  const latency = Math.max(1, observation?.latency_ms ?? 1);
  return { ...nothing, ok: 1, latencySum: latency, latencyMin: latency, latencyMax: latency };
}
