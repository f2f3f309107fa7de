import { describe, expect, test } from "vitest";
import { readCounts } from "../../../src/core/state/counts.ts";
import { timesKept, type VantageState } from "../../../src/core/state/state-schema.ts";
import { updateNodeCounts } from "../../../src/core/state/node-counts.ts";
import { nodesAt, vantageOf } from "../../support/rounds.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/time.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
const halfHour = hourMs / 2;
const hosts = ["a.example.org", "b.example.org"];

/** Returns a vantage's state after a half-hourly run. `seen` has a code for each of the nodes 1, 2, … */
function run(
  previous: VantageState | undefined,
  at: number,
  seen: readonly (string | undefined)[],
  intervalMs = halfHour,
): VantageState {
  const { observations } = vantageOf("default", seen);
  const nodes = nodesAt(hosts.slice(0, seen.length));
  return updateNodeCounts(previous, nodes, ({ id }) => observations.get(id), at, intervalMs);
}

/** Returns a node's hours, oldest first, with their counts as ok/failed/unobserved. */
function hoursOf(state: VantageState, id: number): [number, string][] {
  const { hours = "" } = state.nodes[id] ?? {};
  return readCounts(hours)
    .reverse()
    .map(({ period, count }) => {
      return [period - start / hourMs, `${count.ok}/${count.failed}/${count.unobserved}`];
    });
}

const codesOf = ({ nodes }: VantageState): (string | undefined)[] =>
  Object.values(nodes).map(({ code }) => code);

describe("a vantage remembers", () => {
  test("the last code of each node, and nothing of one that it did not observe", () => {
    const first = run(undefined, start, ["ok", "timeout"]);
    expect(codesOf(first)).toEqual(["ok", "timeout"]);
    expect(codesOf(run(first, start + halfHour, ["reset", undefined]))).toEqual(["reset", undefined]);
  });

  test("the code of the newest run, and of the later one of two at the same time", () => {
    const now = run(undefined, start + halfHour, ["ok", "ok"]);
    expect(codesOf(run(now, start, ["timeout", "timeout"]))).toEqual(["ok", "ok"]);
    expect(codesOf(run(now, start + halfHour, ["timeout", "ok"]))).toEqual(["timeout", "ok"]);
  });
});

describe("a run", () => {
  test("that is older than all whose times are kept changes nothing, and one that is not is counted", () => {
    let state: VantageState | undefined;
    for (let index = 0; index <= timesKept; index += 1) state = run(state, start + index * 1000, ["ok"]);
    if (state === undefined) throw new Error("There is a state.");
    expect(state.nodes[1]?.from).toBeUndefined();
    expect(run(state, start + 500, ["timeout"])).toEqual(state);
    expect(hoursOf(run(state, start + 1500, ["timeout"]), 1)).toEqual([[0, `${timesKept + 1}/1/0`]]);
  });

  test("that is late, after the interval was made shorter, takes away no more than was missed", () => {
    const long = run(run(undefined, start, ["ok"], 2 * hourMs), start + 4 * hourMs, ["ok"], 2 * hourMs);
    const late = run(long, start + 3.9 * hourMs, ["ok"], hourMs / 60);
    for (const [, counts] of hoursOf(late, 1)) expect(counts).toMatch(/^\d+\/\d+\/\d+$/);
  });

  test("after years counts what was missed in the ninety days that are kept, and today until now", () => {
    const noon = start + 5 * 365 * dayMs + dayMs / 2;
    const { days = "" } = run(run(undefined, start, ["ok"]), noon, ["ok"]).nodes[1] ?? {};
    const [today, ...before] = readCounts(days);
    expect(today?.count).toMatchObject({ ok: 1, unobserved: 24 });
    expect(before.map(({ count }) => count.unobserved)).toEqual(Array(90).fill(48));
  });
});
