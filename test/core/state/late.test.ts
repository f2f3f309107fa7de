import fc from "fast-check";
import { expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { type Count, daysKept, hoursKept, readCounts } from "../../../src/core/state/counts.ts";
import { formerKeptMs } from "../../../src/core/state/identity.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { projectConfig, stateAfter, vantageOf } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/time.ts";
import { formatState, parseState } from "../../support/stored.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
const intervalMs = hourMs / 2;
const maintenance = { host: "m2.example.org", from: start + 5 * hourMs, to: start + 9 * hourMs };

const all = [1, 2, 3];
/** Configurations by their node ids. Node 2 is in all of them, and is in maintenance for four hours. */
const configs = new Map(
  [all, [1, 2], [2], [2, 3]].map((ids): [readonly number[], Config] => {
    const network = ids.map((id) => ({ id, url: `https://m${id}.example.org/a/b` }));
    const [from, to] = [maintenance.from, maintenance.to].map((time) => new Date(time).toISOString());
    const more = {
      site: { interval: `${intervalMs / 60_000}m` },
      maintenance: [{ scope: maintenance.host, from, to, reason: "work" }],
    };
    return [ids, projectConfig([{ target: "t", network }], more)];
  }),
);

/** What a vantage saw of each node: a latency, a failure, a code that proves nothing, or nothing at all. */
type Saw = number | "timeout" | "rate_limited" | undefined;

interface Run {
  readonly at: number;
  readonly seen: Readonly<Record<string, readonly Saw[]>>;
}

/** A run, and the ids of the nodes that the feed has when the run is applied. */
interface Step {
  readonly run: Run;
  readonly ids: readonly number[];
}

function apply(steps: readonly Step[]): State | undefined {
  let state: State | undefined;
  for (const [index, { run, ids }] of steps.entries()) {
    const config = configs.get(ids);
    if (config === undefined) throw new Error("There is a configuration.");
    const vantages = Object.entries(run.seen).map(([name, saw]) => {
      const seen = saw.map((one) => (typeof one === "number" ? { latency_ms: one } : one));
      return vantageOf(name, seen, ["ok"]);
    });
    state = stateAfter(config, state, { at: run.at, vantages });
    // Half-way, the state is stored and loaded again.
    if (index === Math.floor(steps.length / 2)) state = parseState(formatState(state), "state.json");
  }
  return state;
}

type Table = Map<number, Count>;

/** From which step to which other one, exclusive, a node was in the feed, unless its history is too old. */
function presences(steps: readonly Step[], id: number): [begin: number, end: number][] {
  const present = steps.map(({ ids }) => ids.includes(id));
  const begins = present.flatMap((is, index) => (is && present[index - 1] !== true ? [index] : []));
  const found = begins.map((begin): [number, number] => {
    const end = present.indexOf(false, begin);
    return [begin, end < 0 ? steps.length : end];
  });
  const latest = (index: number): number => Math.max(...steps.slice(0, index + 1).map(({ run }) => run.at));
  const tooOld = found.findLastIndex(([, end], number) => {
    const [next] = found[number + 1] ?? [0];
    return next > 0 && latest(next - 1) - latest(end) >= formerKeptMs;
  });
  return found.slice(tooOld + 1);
}

/** What a vantage saw of a node since the step `begin`. A run that was missed saw nothing. */
function eventsOf(steps: readonly Step[], begin: number, vantage: string, id: number): [number, Saw][] {
  const own = steps.filter(({ run }) => run.seen[vantage] !== undefined);
  const counted = own.filter((step) => steps.indexOf(step) >= begin);
  const from = Math.min(...counted.map(({ run }) => run.at));
  const events: [number, Saw][] = counted.map(({ run: { at, seen } }) => {
    const inMaintenance = id === 2 && at >= maintenance.from && at < maintenance.to;
    return [at, inMaintenance ? undefined : seen[vantage]?.[id - 1]];
  });
  const times = own.map(({ run }) => run.at).sort((left, right) => left - right);
  for (const [index, end] of times.entries()) {
    const start = times[index - 1];
    if (start === undefined || start < from) continue;
    const missed = Math.round((end - start) / intervalMs) - 1;
    for (let back = 1; back <= missed; back += 1) events.push([end - back * intervalMs, undefined]);
  }
  return events;
}

/** What a vantage must have counted for a node, computed without regard to the order of runs. */
function expected(
  steps: readonly Step[],
  vantage: string,
  id: number,
  periodMs: number,
  keep: number,
): Table {
  const events = presences(steps, id).flatMap(([begin, end]) =>
    eventsOf(steps.slice(0, end), begin, vantage, id),
  );
  const periods = new Map<number, Saw[]>();
  for (const [at, one] of events) {
    const period = Math.floor(at / periodMs);
    periods.set(period, [...(periods.get(period) ?? []), one]);
  }
  const newest = Math.max(...periods.keys());
  const table: Table = new Map();
  for (const [period, saw] of periods) {
    if (period <= newest - keep) continue;
    const latencies = saw.filter((one) => typeof one === "number");
    table.set(period, {
      ok: latencies.length,
      failed: saw.filter((one) => one === "timeout").length,
      unobserved: saw.filter((one) => one === undefined || one === "rate_limited").length,
      latencySum: latencies.reduce((total, one) => total + one, 0),
      latencyMin: latencies.length === 0 ? 0 : Math.min(...latencies),
      latencyMax: Math.max(0, ...latencies),
    });
  }
  return table;
}

function counts(packed = ""): Table {
  return new Map(readCounts(packed).map(({ period, count }) => [period, count]));
}

function expectExact(steps: readonly Step[]): void {
  const state = apply(steps);
  const ids = steps.at(-1)?.ids ?? [];
  for (const vantage of ["a", "b"]) {
    const tallies = state?.vantages[vantage]?.nodes ?? {};
    for (const id of ids) {
      const { hours, days } = tallies[id] ?? {};
      expect(counts(hours)).toEqual(expected(steps, vantage, id, hourMs, hoursKept));
      expect(counts(days)).toEqual(expected(steps, vantage, id, dayMs, daysKept));
    }
  }
}

const saw = fc.constantFrom<Saw>(20, 300, 300, "timeout", "rate_limited", undefined);
const own = fc.tuple(saw, saw, saw);
const seen = fc.oneof(
  { weight: 3, arbitrary: fc.record({ a: own }) },
  fc.record({ b: own }),
  fc.record({ a: own, b: own }),
);
/**
 * The time of a run. Most times are only hours apart, so that some runs coincide and some are missed. A few times are
 * weeks later.
 */
const time = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 150 }).map((step) => start + step * 6 * 60_000) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4 * dayMs }).map((after) => start + after) },
  fc.integer({ min: 0, max: 80 * dayMs }).map((after) => start + after),
);
const run: fc.Arbitrary<Run> = fc.record({ at: time, seen });
const runs = fc.array(run, { minLength: 1, maxLength: 30 });
const shuffled = runs.chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

test("runs applied in any order give the same counts, including missed runs, as in order", () => {
  fc.assert(
    fc.property(shuffled, (list) => {
      const steps = list.map((run): Step => ({ run, ids: all }));
      expectExact(steps);
      const sorted = steps.toSorted((left, right) => left.run.at - right.run.at);
      const [late, inOrder] = [apply(steps), apply(sorted)];
      expect(Object.keys(late?.vantages ?? {}).sort()).toEqual(Object.keys(inOrder?.vantages ?? {}).sort());
      for (const [name, { times, nodes }] of Object.entries(late?.vantages ?? {})) {
        expect(times).toEqual(inOrder?.vantages[name]?.times);
        for (const [id, { from }] of Object.entries(nodes))
          expect(from).toBe(inOrder?.vantages[name]?.nodes[id]?.from);
      }
    }),
    { numRuns: trials(60) },
  );
});

test("the counts are also exact if nodes join and leave the feed between runs", () => {
  const feeds = fc.array(fc.constantFrom(...configs.keys()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(shuffled, feeds, (list, ids) => {
      const each = Math.ceil(list.length / ids.length);
      expectExact(list.map((run, index): Step => ({ run, ids: ids[Math.floor(index / each)] ?? all })));
    }),
    { numRuns: trials(100) },
  );
});
