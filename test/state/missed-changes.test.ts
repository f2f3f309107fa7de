import { expect, test } from "vitest";
import { missedChanges } from "../../src/state/missed-changes.ts";

const hour = 3_600_000;

test.each<[name: string, at: number, expected: [hour: number, change: number][]]>([
  ["at the time of another changes nothing", 4 * hour, []],
  ["after the last one leaves a gap before it", 6 * hour, [[5, 1]]],
  [
    "between two splits their gap",
    2 * hour,
    [
      [1, 0],
      [3, 0],
      [2, -1],
    ],
  ],
])("a run %s", (_, at, expected) => {
  const changes = missedChanges([0, 4 * hour], at, hour)(0, hour);
  expect([...changes]).toEqual(expect.arrayContaining(expected));
  expect(changes.size).toBe(expected.length);
});
