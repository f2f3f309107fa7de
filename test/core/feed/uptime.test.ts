import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeCounts, type Counts, daysBefore, uptimeBefore } from "../../../src/core/feed/uptime.ts";
import { addCounts, type Count, nothing } from "../../../src/core/state/counts.ts";

type Counted = readonly [ok: number, failed: number, unobserved: number];

/** Counts for the periods 100, 101, …. An undefined entry is a period without a count. */
function countsOf(entries: readonly (Counted | undefined)[]): Counts {
  return new Map(
    entries.flatMap((entry, index): [number, Count][] => {
      if (entry === undefined) return [];
      const [ok, failed, unobserved] = entry;
      return [[100 + index, { ...nothing, ok, failed, unobserved }]];
    }),
  );
}

describe("uptime", () => {
  test.each<[string, Counted | undefined, Counted | undefined, number | undefined, number]>([
    ["nothing counted", undefined, undefined, undefined, 0],
    ["all good", [48, 0, 0], [48, 0, 0], 1, 1],
    ["all failed", [0, 48, 0], [0, 48, 0], 0, 1],
    ["a quarter failed", [3, 1, 0], [3, 1, 0], 0.75, 1],
    ["a third failed", [2, 1, 0], [2, 1, 0], 0.6667, 1],
    ["nothing but gaps", [0, 0, 48], [0, 0, 48], undefined, 0],
    ["gaps are not downtime", [24, 0, 24], [48, 0, 0], 1, 0.75],
    ["begun in the middle", undefined, [24, 24, 0], 0.5, 0.5],
    ["many runs do not stand for the time without them", [1440, 0, 0], [0, 0, 24], 1, 0.5],
    ["one failure in a million is not 1", [1_000_000, 1, 0], [0, 0, 0], 0.9999, 0.5],
    ["one success in a million is not 0", [1, 1_000_000, 0], undefined, 0.0001, 0.5],
    ["one gap in a million is not full coverage", [1_000_000, 0, 1], [1, 0, 0], 1, 0.99],
    ["one observation in a million is some coverage", [1, 0, 1_000_000], undefined, 1, 0.01],
  ])("%s", (_, first, second, ratio, coverage) => {
    expect(uptimeBefore(countsOf([first, second]), 102, 2)).toEqual({ ratio, coverage });
  });

  test("counts only the window", () => {
    const outside: Counted = [0, 9, 0];
    const counts = countsOf([outside, [1, 0, 0], [1, 1, 0], outside]);
    expect(uptimeBefore(counts, 103, 2)).toEqual({ ratio: 0.6667, coverage: 1 });
  });

  const entry = fc.option(fc.tuple(fc.nat(5000), fc.nat(5000), fc.nat(5000)), { nil: undefined });
  test("is a share from 0 to 1, exact about 0 and 1, for any counts", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 90 }), fc.integer({ min: 1, max: 90 }), (entries, length) => {
        const end = 100 + entries.length;
        const { ratio, coverage } = uptimeBefore(countsOf(entries), end, length);
        const window = entries.slice(-length).map((one) => one ?? [0, 0, 0]);
        const [ok, failed] = [0, 1].map((place) => window.reduce((sum, one) => sum + (one[place] ?? 0), 0));
        expect(ratio === undefined).toBe(ok === 0 && failed === 0);
        expect(ratio === 1).toBe(ok !== 0 && failed === 0);
        expect(ratio === 0).toBe(ok === 0 && failed !== 0);
        expect(coverage === 0).toBe(ratio === undefined);
        const hasNoGap = window.every(([good = 0, bad = 0, gaps]) => good + bad > 0 && gaps === 0);
        expect(coverage === 1).toBe(window.length === length && hasNoGap);
        for (const [share, decimals] of [[ratio ?? 0, 4] as const, [coverage, 2] as const]) {
          expect(Math.min(Math.max(share, 0), 1)).toBe(share);
          expect(Number(share.toFixed(decimals))).toBe(share);
        }
      }),
    );
  });
});

test("counts of several vantages are added period by period", () => {
  const ok = { ...nothing, ok: 1 };
  const one = addCounts("", new Map([[7, ok]]).set(8, { ...nothing, failed: 1 }), 90);
  const other = addCounts("", new Map([[8, { ...nothing, ok: 2 }]]), 90);
  const merged = new Map([[7, ok]]).set(8, { ...nothing, ok: 2, failed: 1 });
  expect(mergeCounts([one, other, ""])).toEqual(merged);
});

describe("the days before today", () => {
  const today = 20_000;

  test("are those from the first counted day to yesterday", () => {
    const counts = new Map([
      [today, { ...nothing, failed: 1 }],
      [today - 1, { ...nothing, failed: 2 }],
      [today - 3, { ...nothing, ok: 3, unobserved: 1, latencySum: 100, latencyMin: 20, latencyMax: 50 }],
      [today - 91, { ...nothing, ok: 9 }],
    ]);
    const none = { ok: 0, failed: 0, unobserved: 0, mean: null, min: null, max: null };
    expect(daysBefore(counts, today)).toEqual([
      { day: today - 3, ok: 3, failed: 0, unobserved: 1, mean: 33, min: 20, max: 50 },
      { ...none, day: today - 2 },
      { ...none, day: today - 1, failed: 2 },
    ]);
  });

  test("are 90 at most, and none on the first day", () => {
    const always = new Map(Array.from({ length: 200 }, (_, back) => [today - back, { ...nothing, ok: 1 }]));
    expect(daysBefore(always, today).map(({ ok }) => ok)).toEqual(Array<number>(90).fill(1));
    expect(daysBefore(new Map([[today, { ...nothing, ok: 1 }]]), today)).toEqual([]);
  });
});
