import type { NetworkNode } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import {
  addCount,
  type Count,
  dayMs,
  daysKept,
  hourMs,
  hoursKept,
  nothing,
  type PackedCounts,
} from "./counts.ts";
import type { VantageState } from "./document.ts";
import { evidence } from "./verdict.ts";

type NodeTally = VantageState["nodes"][string];

const untouched: NodeTally = ["", "", ""];

/**
 * What a vantage remembers after a run in which it was online: the last code of each node, and one more observation
 * in its hour and its day. Runs that were due by the schedule and did not happen are counted as unobserved first.
 * Nodes that are gone are forgotten. A run older than the last one is counted in its own hour and day.
 */
export function tally(
  previous: VantageState | undefined,
  nodes: readonly NetworkNode[],
  observed: (node: NetworkNode) => Observation | undefined,
  at: number,
  intervalMs: number,
): VantageState {
  const missed = previous === undefined ? [] : missedMoments(previous.at, at, intervalMs);
  const missedHours = perPeriod(missed, hourMs);
  const missedDays = perPeriod(missed, dayMs);
  const isLate = previous !== undefined && at < previous.at;

  const tallied = nodes.map((node): [string, NodeTally] => {
    const before = previous?.nodes[node.id];
    const [lastCode, hours, days] = before ?? untouched;
    const observation = observed(node);
    const count = countOf(observation);
    const since = (packed: PackedCounts, gaps: ReadonlyMap<number, Count>, keep: number): PackedCounts =>
      before === undefined
        ? packed
        : [...gaps].reduce((filled, [period, gap]) => addCount(filled, period, gap, keep), packed);
    return [
      String(node.id),
      [
        isLate ? lastCode : (observation?.code ?? ""),
        addCount(since(hours, missedHours, hoursKept), Math.floor(at / hourMs), count, hoursKept),
        addCount(since(days, missedDays, daysKept), Math.floor(at / dayMs), count, daysKept),
      ],
    ];
  });
  return { at: Math.max(at, previous?.at ?? 0), nodes: Object.fromEntries(tallied) };
}

function countOf(observation: Observation | undefined): Count {
  const status = evidence(observation?.code);
  if (status === undefined) return { ...nothing, unobserved: 1 };
  if (status === 0) return { ...nothing, failed: 1 };
  // A latency of nothing would read as none.
  const latency = Math.max(1, observation?.latency_ms ?? 1);
  return { ...nothing, ok: 1, latencySum: latency, latencyMin: latency, latencyMax: latency };
}

/** The moments between two runs at which others were due; none older than what is kept of them. */
function missedMoments(from: number, to: number, intervalMs: number): number[] {
  const missed = Math.round((to - from) / intervalMs) - 1;
  if (missed <= 0) return [];
  const kept = Math.min(missed, Math.floor((daysKept * dayMs) / intervalMs));
  return Array.from({ length: kept }, (_, index) => to - (kept - index) * intervalMs);
}

function perPeriod(moments: readonly number[], periodMs: number): Map<number, Count> {
  const counts = new Map<number, Count>();
  for (const moment of moments) {
    const period = Math.floor(moment / periodMs);
    counts.set(period, { ...nothing, unobserved: (counts.get(period)?.unobserved ?? 0) + 1 });
  }
  return counts;
}
