import { InputError } from "../errors.ts";
import { countsUntil, dayMs, hourMs } from "./counts.ts";
import type { State, VantageState } from "./document.ts";
import type { Round } from "./round.ts";

/** Clocks differ by less; who is ahead by more has a wrong one. */
const toleranceMs = dayMs;

/** Throws InputError where a round is of a day after `now` (epoch milliseconds): nothing older would count after it. */
export function refuseAhead({ at }: Round, now: number): void {
  if (!isAhead(at, now)) return;
  const [theirs, ours] = [at, now].map((moment) => new Date(moment).toISOString());
  throw new InputError(
    `The results are of ${theirs}, but this machine's clock says ${ours}; correct the clock that is wrong and probe again.`,
  );
}

/**
 * The state without the runs of a clock that was ahead of `now` (epoch milliseconds): beside them every right run would
 * be late, and change nothing. The verdicts stay; what happened in those runs counts as of the last right one. The
 * state itself where there are none.
 */
export function withoutRunsAhead(state: State, now: number): State {
  const runs = state.runs.filter(([, at]) => !isAhead(at, now));
  if (runs.length === state.runs.length) return state;
  const last = runs.at(-1)?.[1] ?? now;
  const until = (moment: number): number => Math.min(moment, last);
  return {
    schema: state.schema,
    runs,
    nodes: mapValues(state.nodes, (node) => ({
      ...node,
      since: until(node.since),
      transitions: node.transitions.map(([at, status, code]) => [until(at), status, code] as const),
    })),
    references: mapValues(state.references, ({ branch, revisions }) => ({
      branch,
      revisions: revisions.map(([revision, from]): [string, number] => [revision, until(from)]),
    })),
    vantages: mapValues(state.vantages, ({ at, nodes }) => ({
      at: until(at),
      nodes: mapValues(nodes, ([code, hours, days]): VantageState["nodes"][string] => [
        code,
        countsUntil(hours, Math.floor(last / hourMs)),
        countsUntil(days, Math.floor(last / dayMs)),
      ]),
    })),
  };
}

function isAhead(moment: number, now: number): boolean {
  return moment > now + toleranceMs;
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
