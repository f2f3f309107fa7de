import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureCadence, stalenessMs } from "../../../src/core/feed/feed-run.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

function runsWithGaps(gaps: readonly number[]): [string, number][] {
  let at = 1_000_000;
  return [0, ...gaps].map((gap, index) => {
    at += gap * minute;
    return [`r${index}`, at];
  });
}

describe("the measured cadence", () => {
  test.each([0, 1, 2])("is not known from %i gaps", (count) => {
    expect(measureCadence(runsWithGaps(Array<number>(count).fill(5)))).toBeUndefined();
  });

  test.each<[number[], median: number, p90: number]>([
    [[5, 5, 5], 5, 5],
    [[90, 5, 7], 7, 90],
    [[4, 3, 2, 1], 2, 4],
    [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 5, 9],
    [[...Array<number>(18).fill(15), 600, 700], 15, 15],
  ])("of gaps of %j minutes is a median of %d and a 90th percentile of %d", (gaps, median, p90) => {
    expect(measureCadence(runsWithGaps(gaps))).toEqual({ medianMs: median * minute, p90Ms: p90 * minute });
  });
});

describe("the staleness bound", () => {
  test.each<[scheduled: number, p90: number | undefined, bound: number]>([
    [1, 1, 15],
    [5, 5, 15],
    [5, 16, 32],
    [30, 30, 90],
    [1, undefined, 60],
    [30, undefined, 90],
    [1440, undefined, 3 * 1440],
    [1440, 1500, 3 * 1440],
    [5, 10_000, 15 + 1440],
    [10_080, 100_000, 3 * 10_080 + 1440],
  ])("of runs every %d minutes that are measured %s minutes apart is %d minutes", (scheduled, p90, bound) => {
    const cadence = p90 === undefined ? undefined : { medianMs: 0, p90Ms: p90 * minute };
    expect(stalenessMs(scheduled * minute, cadence)).toBe(bound * minute);
  });

  test("is at least three scheduled intervals, and at most a day more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_080 }), fc.array(fc.nat(1e6)), (scheduled, gaps) => {
        const bound = stalenessMs(scheduled * minute, measureCadence(runsWithGaps(gaps)));
        const minimum = Math.max(3 * scheduled, 15) * minute;
        expect(bound).toBeGreaterThanOrEqual(minimum);
        expect(bound).toBeLessThanOrEqual(minimum + day);
      }),
    );
  });
});
