import { describe, expect, test } from "vitest";
import type { Code } from "../../src/probe/observation.ts";
import { dayMs, hourMs, readCounts } from "../../src/state/counts.ts";
import type { VantageState } from "../../src/state/document.ts";
import { tally } from "../../src/state/tally.ts";
import { nodesAt, vantageOf } from "./rounds.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
const halfHour = hourMs / 2;
const hosts = ["a.example.org", "b.example.org"];

/** What a vantage remembers after a run half an hourly, in which the nodes 1, 2, … were seen as this. */
function run(
  previous: VantageState | undefined,
  at: number,
  seen: readonly (Code | undefined)[],
): VantageState {
  const { observations } = vantageOf("default", seen);
  const nodes = nodesAt(hosts.slice(0, seen.length));
  return tally(previous, nodes, ({ id }) => observations.get(id), at, halfHour);
}

/** The hours of a node, oldest first, each as what was counted in it: ok/failed/unobserved. */
function hoursOf(state: VantageState, id: number): [number, string][] {
  const [, hours] = state.nodes[id] ?? ["", "", ""];
  return readCounts(hours)
    .reverse()
    .map(({ period, count: { ok, failed, unobserved } }) => [
      period - start / hourMs,
      `${ok}/${failed}/${unobserved}`,
    ]);
}

const codesOf = ({ nodes }: VantageState): string[] => Object.values(nodes).map(([code]) => code);

describe("a vantage remembers", () => {
  test("the last code of each node, and nothing of one that it did not observe", () => {
    const first = run(undefined, start, ["ok", "timeout"]);
    expect(codesOf(first)).toEqual(["ok", "timeout"]);
    expect(codesOf(run(first, start + halfHour, ["reset", undefined]))).toEqual(["reset", ""]);
  });

  test("the code of the newest run, and of the later one of two at the same moment", () => {
    const now = run(undefined, start + halfHour, ["ok", "ok"]);
    expect(codesOf(run(now, start, ["timeout", "timeout"]))).toEqual(["ok", "ok"]);
    expect(codesOf(run(now, start + halfHour, ["timeout", "ok"]))).toEqual(["timeout", "ok"]);
  });

  test("when it was last online, which a late run does not change", () => {
    const now = run(undefined, start + halfHour, ["ok"]);
    expect(run(now, start, ["ok"]).at).toBe(start + halfHour);
    expect(run(now, start + hourMs, ["ok"]).at).toBe(start + hourMs);
  });
});

describe("a run", () => {
  test("that is late is counted in its own hour", () => {
    const now = run(undefined, start + 5 * hourMs, ["ok"]);
    const late = run(run(now, start + 2 * hourMs, ["timeout"]), start + 2 * hourMs + 1, ["ok"]);
    expect(hoursOf(late, 1)).toEqual([
      [2, "1/1/0"],
      [5, "1/0/0"],
    ]);
  });

  test.each([
    ["none by the schedule", halfHour, ["2/0/0"]],
    ["none where it is late by less than half an interval", 0.7 * hourMs, ["2/0/0"]],
    ["one", hourMs, ["1/0/1", "1/0/0"]],
    ["each in its own hour", 3 * hourMs, ["1/0/1", "0/0/2", "0/0/2", "1/0/0"]],
  ])("that comes after missed ones has them as unobserved: %s", (_, after, hours) => {
    const state = run(run(undefined, start, ["ok"]), start + after, ["ok"]);
    expect(hoursOf(state, 1)).toEqual(hours.map((count, hour) => [hour, count]));
  });

  test("that is the first of a node counts nothing as missed", () => {
    const state = run(run(undefined, start, ["ok"]), start + 2 * hourMs, ["ok", "ok"]);
    expect(hoursOf(state, 2)).toEqual([[2, "1/0/0"]]);
  });

  test("after years counts what was missed in the ninety days that are kept, and today until now", () => {
    const noon = start + 5 * 365 * dayMs + dayMs / 2;
    const [, , days = ""] = run(run(undefined, start, ["ok"]), noon, ["ok"]).nodes[1] ?? [];
    const [today, ...before] = readCounts(days);
    expect(today?.count).toMatchObject({ ok: 1, unobserved: 24 });
    expect(before.map(({ count }) => count.unobserved)).toEqual(Array(90).fill(48));
  });
});
