import { describe, expect, test } from "vitest";
import type { History, Results } from "../../../src/core/probe/observation.ts";
import { inShard } from "../../../src/core/probe/probe-all.ts";
import { dayMs } from "../../../src/core/base/text/time.ts";
import { clockToleranceMs, mergeResults, withoutClockAhead } from "../../../src/core/state/round.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";
import { nodesAt } from "../../support/rounds.ts";

function results(more: Partial<Results>, ids: readonly number[] = []): Results {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    ...{ schema: 1, run: "r1", vantage: "default", shard: { index: 1, count: 1 } },
    ...{ config: "0".repeat(32), prober: "test", started_at: at, finished_at: at, controls: [] },
    observations: ids.map((id) => ({ id, code: "ok", attempts: 1, checked_at: at })),
    ...more,
  };
}

const shard = (index: number, count: number) => ({ shard: { index, count } });

describe("results are merged", () => {
  test("by vantage, from their shards, at the end of the last one", () => {
    const round = mergeResults([
      results({ ...shard(2, 4), finished_at: "2026-01-01T00:00:09.000Z" }, [2]),
      results({ vantage: "beta" }, [1, 2]),
      results({ vantage: "alpha" }, [1]),
      results(shard(4, 4), [1, 3]),
    ]);
    expect(round).toMatchObject({ run: "r1", at: Date.parse("2026-01-01T00:00:09Z") });
    expect(round.vantages.map(({ name, observations }) => [name, [...observations.keys()].sort()])).toEqual([
      ["alpha", [1]],
      ["beta", [1, 2]],
      ["default", [1, 2, 3]],
    ]);
    const { shards = [], missingShards } = round.vantages.find(({ name }) => name === "default") ?? {};
    expect(missingShards).toEqual([1, 3]);
    const ids = Object.fromEntries(shards.map((one) => [one.index, [...one.observations.keys()]]));
    expect(ids).toEqual({ 2: [2], 4: [1, 3] });
  });

  test("with the families of the hosts that each shard checked", () => {
    const families = ["a.example.org", "b.example.org"].map((host) => ({ host, ipv4: "ok" }) as const);
    const all = families.map((one, index) => results({ ...shard(index + 1, 2), families: [one] }));
    const [vantage] = mergeResults(all).vantages;
    expect(vantage?.families).toEqual(families);
    expect(vantage?.shards?.map((one) => one.families)).toEqual(families.map((one) => [one]));
  });

  test("with what Git servers said: true beats false, and lists are united", () => {
    const [one, two, three] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)] as const;
    const said = (ids: History[string][string]) => ({ history: { "s/p/t": { "refs/heads/main": ids } } });
    const round = mergeResults([
      results({ ...shard(1, 2), ...said({ [one]: { past: true, contains: [two] }, [two]: {} }) }),
      results({ ...shard(2, 2), ...said({ [one]: { past: false, contains: [three, two] } }) }),
      results({ vantage: "other", ...said({ [three]: { past: false } }) }),
      results({ vantage: "silent" }),
    ]);
    const united = { [one]: { past: true, contains: [two, three] }, [two]: {}, [three]: { past: false } };
    expect({ history: round.history }).toEqual(said(united));
  });

  const [whole, first] = [results({}), results(shard(1, 2))];
  test.each<[string, Results[], RegExp]>([
    ["nothing", [], /^There are no results to build from/],
    [
      "other mirrors",
      [whole, results({ config: "1".repeat(32) })],
      /^The results come from different mirrors\.json/,
    ],
    ["other runs", [whole, results({ run: "r2" })], /^The results come from different runs, r1 and r2/],
    [
      "a shard twice",
      [first, first],
      /^The shards of the location default do not fit together at shard 1 of 2/,
    ],
    ["a shard past the last", [results(shard(3, 2))], /do not fit together at shard 3 of 2/],
    ["two splits", [first, results(shard(2, 3))], /do not fit together at shard 2 of 3/],
  ])("but not %s", (_, all, message) => {
    expect(inputErrorOf(() => mergeResults(all))).toMatch(message);
  });
});

describe("shards", () => {
  const nodes = nodesAt(Array.from({ length: 500 }, (_, index) => `m${index}.example.org`));
  const shards = [1, 2, 3].map((index) => inShard(nodes, { index, count: 3 }));

  test("have every node once, in their order, and about as many each", () => {
    expect(shards.flat().sort((left, right) => left.id - right.id)).toEqual(nodes);
    for (const one of shards) {
      expect(one.length).toBeGreaterThan(120);
      expect(one).toEqual(nodes.filter((node) => one.includes(node)));
    }
  });

  test("keep a node where it is when others come and go", () => {
    const kept = shards[1]?.filter(({ id }) => id > 100);
    expect(inShard(nodes.slice(100), { index: 2, count: 3 })).toEqual(kept);
  });
});

test("results up to five minutes after the clock are left as they are, and later ones are of now", () => {
  const start = Date.parse("2026-03-01T12:00:00Z");
  const round = (at: number) => ({ run: "r", at, vantages: [] });
  for (const right of [round(start + clockToleranceMs), round(start - dayMs)])
    expect(withoutClockAhead(right, start)).toBe(right);
  for (const ahead of [clockToleranceMs + 1, 2000 * dayMs])
    expect(withoutClockAhead(round(start + ahead), start)).toEqual(round(start));
});
