import { expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { pauseAfter, required } from "../../../src/features/wait/release-check.ts";

test.each([
  [{ count: 3 }, 5, 3],
  [{ percent: 80 }, 5, 4],
  [{ percent: 50 }, 5, 3],
  [{ percent: 1 }, 5, 1],
  [{ percent: 100 }, 5, 5],
])("--min %o of %i mirrors means %i", (min, total, count) => {
  expect(required(min, total)).toBe(count);
});

test("more mirrors than there are can't be required", () => {
  expect(() => required({ count: 6 }, 5)).toThrow(InputError);
});

test("pauses double up to ten minutes, and are lengthened by up to a quarter", () => {
  const seconds = [1, 2, 3, 4, 5, 6, 40].map((rounds) => pauseAfter(rounds, 0) / 1000);
  expect(seconds).toEqual([30, 60, 120, 240, 480, 600, 600]);
  expect(pauseAfter(1, 1)).toBe(37_500);
});
