import fc from "fast-check";
import { expect, test } from "vitest";
import { closerOf, findUnclosed } from "../../src/config/json.ts";

test.each<[text: string, opened: number, shownAt: number]>([
  ["{", 0, 1],
  ['{ "a": [ ', 7, 8],
  ['{ "a": [ 1 }', 7, 11],
  ['[{ "a": "]}" ]', 1, 13],
  ['{ "a\\"[": 1 \n', 0, 11],
  ['{ "a": "unclosed [\n, "b": 2', 0, 27],
  ['{ "a": [ { "b": 1 }, "c": {} }', 7, 21],
  ['{ "a": [ 1\n "c" : {} }', 7, 12],
])("%j has a bracket that is not closed", (text, opened, shownAt) => {
  expect(findUnclosed(text)).toEqual({ opened, shownAt });
});

test.each(['{ "a": ["b": 1] }', "", "{}", '{ "a": [1, 2, { "b": "}{][" }] }', "]", "{}}", '"[" "\\"{"'])(
  "%j has none",
  (text) => {
    expect(findUnclosed(text)).toBeUndefined();
  },
);

test("any JSON without its last bracket has that one", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const text = `[${json}]`;
      expect(findUnclosed(text)).toBeUndefined();
      expect(findUnclosed(text.slice(0, -1))).toEqual({ opened: 0, shownAt: text.length - 1 });
    }),
  );
});

test("each bracket has the one that closes it", () => {
  expect(["{", "[", "x"].map((text) => closerOf(text, 0))).toEqual(["}", "]", ""]);
});
