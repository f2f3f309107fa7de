import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCount, formatList, percent } from "../../../../src/core/base/text/count.ts";

test("a share is never rounded up to all, nor down to nothing", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 2), (share, decimals) => {
      expect(percent(share, decimals) === "100 %").toBe(share === 1);
      expect(percent(share, decimals) === "0 %").toBe(share === 0);
    }),
  );
  expect([0.999_99, 0.000_01, 0.98765].map((share) => percent(share))).toEqual([
    "99.99 %",
    "0.01 %",
    "98.77 %",
  ]);
  expect(percent(0.999, 0)).toBe("99 %");
});

test.each([
  [1, "1 mirror"],
  [0, "0 mirrors"],
  [1_234_567, "1,234,567 mirrors"],
])("a count has its noun, and is grouped by thousands: %i", (count, text) => {
  expect(formatCount(count, "mirror")).toBe(text);
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a or b"],
  [["a", "b", "c"], "a, b or c"],
])("a list in a sentence: %j", (names, text) => {
  expect(formatList(names, "or")).toBe(text);
});
