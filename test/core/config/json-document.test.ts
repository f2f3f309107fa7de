import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPath, parseJson } from "../../../src/core/config/json-document.ts";

describe("names that stand twice in one object", () => {
  test.each<[string, string[]]>([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"b":[{"c":1},2],"a":2}', ["a"]],
    ['{"a":[{},{"b":1,"b":2}]}', ["a[1].b"]],
    [String.raw`{"a":1,"\u0061":2}`, ["a"]],
    ['{"a":{"b":1},"b":2}', []],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":{"a":{"a":1}}}', []],
  ])("are found in %s", (text, paths) => {
    expect(parseJson(text).repeated.map(({ path }) => formatPath(path))).toEqual(paths);
  });

  test("are reported 1000 times at most", () => {
    const text = `{${Array(1500).fill('"a":1').join(",")}}`;
    expect(parseJson(text).repeated).toHaveLength(1000);
  });

  test("are none in what was written as JSON, which is read as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toMatchObject({ repeated: [], syntaxError: undefined });
        expect(parseJson(text).value).toEqual(JSON.parse(text));
      }),
    );
  });
});

test.each<[(string | number)[], number]>([
  [[], 2],
  [["a"], 2],
  [["a", 1, "b"], 3],
  [["a", 2], 2],
  [["c", "a"], 2],
])("the line of %j is that of the value, or of what lacks it", (path, line) => {
  expect(parseJson('\n{ "a": [1,\n  {"b": 2}] }\n').lineOf(path)).toBe(line);
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
