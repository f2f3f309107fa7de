import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPath, parseJson } from "../../src/config/json.ts";

describe("names that stand twice in one object", () => {
  test.each<[string, string, string[]]>([
    ["beside each other", '{"a":1,"a":2}', ["a"]],
    ["three times", '{"a":1,"a":2,"a":3}', ["a", "a"]],
    ["around an object", '{"a":1,"b":{"c":1},"a":2}', ["a"]],
    ["around a list", '{"a":1,"b":[{"c":1},2],"a":2}', ["a"]],
    ["inside of lists", '{"a":[{},{"b":1,"b":2}]}', ["a[1].b"]],
    ["written in two ways", String.raw`{"a":1,"\u0061":2}`, ["a"]],
    ["in an object and in the one around it", '{"a":{"b":1},"b":2}', []],
    ["in an object and in the next", '[{"a":1},{"a":1}]', []],
    ["in an object and in one below", '{"a":{"a":{"a":1}}}', []],
  ])("are found: %s", (_, text, paths) => {
    expect(parseJson(text).repeated.map(({ path }) => formatPath(path))).toEqual(paths);
  });

  test("are reported 1000 times at most", () => {
    const text = `{${Array(1500).fill('"a":1').join(",")}}`;
    expect(parseJson(text).repeated).toHaveLength(1000);
  });

  test("are none in what was written as JSON, which is read as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { value, repeated } = parseJson(text);
        expect(value).toEqual(JSON.parse(text));
        expect(repeated).toEqual([]);
      }),
    );
  });
});

test("every value is located by line and column, and what is missing where it would stand", () => {
  const { locate } = parseJson('\n{ "a": [1,\n  {"b": 2}] }\n');
  expect(locate([])).toEqual({ line: 2, column: 1 });
  expect(locate(["a"])).toEqual({ line: 2, column: 8 });
  expect(locate(["a", 1, "b"])).toEqual({ line: 3, column: 9 });
  expect(locate(["a", 2])).toEqual({ line: 2, column: 8 });
  expect(locate(["c", "a"])).toEqual({ line: 2, column: 1 });
});

test.each<[(string | number)[], string]>([
  [["systems", 0, "projects", 12, "target"], "systems[0].projects[12].target"],
  [["$schema"], "$schema"],
  [["a", "b c", "d.e", ""], 'a["b c"]["d.e"][""]'],
  [["a\u001b[2J", 'say "x"'], String.raw`["a\u001b[2J"]["say \"x\""]`],
  [[], ""],
])("the path %j is written %s", (path, text) => {
  expect(formatPath(path)).toBe(text);
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("%s are nested a hundred times at most", (_, open, close) => {
  const nested = (times: number): string => `${open.repeat(times)}1${close.repeat(times)}`;
  expect(parseJson(nested(100)).syntaxError).toBeUndefined();
  expect(parseJson(`[${`${nested(99)},`.repeat(3)}1]`).syntaxError).toBeUndefined();
  expect(() => parseJson(nested(101))).toThrow(RangeError);
});
