import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addCounts,
  type Count,
  nothing,
  type PackedCounts,
  packedPattern,
  readCounts,
  sum,
} from "../../../src/core/state/counts.ts";

const good: Count = { ...nothing, ok: 1, latencySum: 120, latencyMin: 120, latencyMax: 120 };
const noLatency = { latencySum: 0, latencyMin: 0, latencyMax: 0 };

const addCount = (packed: PackedCounts, period: number, count: Count, keep: number) =>
  addCounts(packed, new Map([[period, count]]), keep);

describe("packed counts", () => {
  test("of nothing have no period", () => {
    expect(readCounts("")).toEqual([]);
  });

  const count = fc.record({
    ok: fc.nat(2000),
    failed: fc.nat(2000),
    unobserved: fc.nat(2000),
    shortest: fc.integer({ min: 1, max: 300_000 }),
    range: fc.nat(300_000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const period = fc.oneof(fc.integer({ min: 1000, max: 1200 }), fc.constantFrom(1100, 1101));
  const counted = count.filter(({ ok, failed, unobserved }) => ok + failed + unobserved > 0);

  test("lose no more unobserved runs than they have, and a period without a count is empty", () => {
    const packed = addCount(addCount("", 7, { ...nothing, unobserved: 2 }, 48), 8, good, 48);
    const fewer = (period: number, unobserved: number) =>
      readCounts(addCount(packed, period, { ...nothing, unobserved }, 48)).map(({ period: kept }) => kept);
    expect([fewer(7, -1), fewer(7, -2), fewer(8, -1), fewer(9, -1)]).toEqual([[8, 7], [8], [8, 7], [8, 7]]);
    expect(addCount("", 7, { ...nothing, unobserved: -1 }, 48)).toBe("");
  });

  test("agree with a plain table, whatever comes in whatever order, in a text that the door takes", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(period, counted)), fc.integer({ min: 1, max: 90 }), (events, keep) => {
        const table = new Map<number, Count>();
        let newest = -Infinity;
        let packed = "";
        for (const [at, { shortest, range, share, ...rest }] of events) {
          const latencies = {
            latencySum: rest.ok * shortest + Math.floor(rest.ok * share * range),
            latencyMin: shortest,
            latencyMax: shortest + range,
          };
          const one = { ...rest, ...(rest.ok === 0 ? noLatency : latencies) };
          packed = addCount(packed, at, one, keep);
          newest = Math.max(newest, at);
          for (const old of table.keys()) if (old <= newest - keep) table.delete(old);
          if (at > newest - keep) table.set(at, sum(table.get(at) ?? nothing, one));
        }
        expect(packed).toMatch(packedPattern);
        expect(new Map(readCounts(packed).map((kept) => [kept.period, kept.count]))).toEqual(table);
      }),
    );
  });
});
