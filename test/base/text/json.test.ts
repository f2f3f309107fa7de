import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonPointerPattern, tryParseJson, valueAt, withinStack } from "../../../src/base/text/json.ts";
import { validateConfig } from "../../../src/config/validate.ts";
import { InputError } from "../../../src/base/errors.ts";
import { parseState } from "../../../src/state/document.ts";

test("every JSON value comes back as it was written", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(tryParseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each(["", "{", "undefined", "<html>", "{} {}", "{'a':1}", "\ufeff{}"])("%j is none", (text) => {
  expect(tryParseJson(text)).toBeUndefined();
});

const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  " ": 7,
  "m~n": 8,
  "~1": 9,
  nested: { list: [{ at: null }] },
};

// The first are the examples of RFC 6901, section 5.
test.each([
  ["", document],
  ["/foo", ["bar", "baz"]],
  ["/foo/0", "bar"],
  ["/", 0],
  ["/a~1b", 1],
  ["/c%d", 2],
  ["/ ", 7],
  ["/m~0n", 8],
  ["/~01", 9],
  ["/nested/list/0/at", null],
])("%j names a value", (pointer, expected) => {
  expect(pointer).toMatch(jsonPointerPattern);
  expect(valueAt(document, pointer)).toEqual(expected);
});

test.each([
  "/nothing",
  "/foo/2",
  "/foo/00",
  "/foo/-",
  "/foo/length",
  "/toString",
  "/__proto__",
  "/nested/list/0/at/x",
])("%j names nothing", (pointer) => {
  expect(pointer).toMatch(jsonPointerPattern);
  expect(valueAt(document, pointer)).toBeUndefined();
});

test.each([undefined, null, 1, true])("a document that is %j has no members", (value) => {
  expect(valueAt(value, "/a")).toBeUndefined();
});

test.each(["a", "#/a", "/~", "/~2"])("%j is not a pointer", (text) => {
  expect(text).not.toMatch(jsonPointerPattern);
});

const many = 150_000;

function feedOf(network: unknown): string {
  return JSON.stringify({
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
  });
}

describe("a door refuses in one sentence", () => {
  test.each([
    [
      "a feed nested without end",
      () => validateConfig("[".repeat(many), "mirrors.json"),
      "nested too deeply",
    ],
    [
      "a feed of many invalid nodes",
      () => validateConfig(feedOf(Array(many).fill({})), "mirrors.json"),
      "too many problems",
    ],
    [
      "a feed that is not JSON anywhere",
      () => validateConfig("@ ".repeat(many), "mirrors.json"),
      "line 1, column 1",
    ],
    [
      "a feed with a name that stands without end",
      () => validateConfig(`{${'"a":1,'.repeat(many)}"b":1}`, "mirrors.json"),
      "and 803 more",
    ],
    [
      "a state of broken entries without end",
      () => {
        const nodes = Object.fromEntries(Array.from({ length: many }, (_, index) => [index + 1, []]));
        return parseState(JSON.stringify({ schema: 1, vantages: { a: { at: 1, nodes } } }), "state.json");
      },
      "is not valid",
    ],
  ])("%s", (_, door, sentence) => {
    let logged: unknown;
    try {
      door();
    } catch (error) {
      logged = error;
    }
    expect(logged).toBeInstanceOf(InputError);
    expect(String(logged)).toContain(sentence);
    expect(String(logged).length).toBeLessThan(20_000);
  });
});

test("an unexpected error is not a problem of the text", () => {
  const problem = new TypeError("unexpected");
  expect(() =>
    withinStack(() => {
      throw problem;
    }, "theirs"),
  ).toThrow(problem);
});
