import { expect, test } from "vitest";
import {
  jsonPointerPattern,
  tryParseJson,
  valueAt,
  withinStack,
} from "../../../../src/core/base/text/json.ts";
import { validateConfig } from "../../../../src/core/config/validate.ts";
import { inputErrorOf } from "../../../support/mirrors-json.ts";
import { parseState } from "../../../support/stored.ts";

test("JSON comes back as a value", () => {
  expect(tryParseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
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

// The first rows are the examples of RFC 6901, section 5.
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
const network = Array(many).fill({});
const manyNodes = {
  systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
};
const entries = Object.fromEntries(Array.from({ length: many }, (_, index) => [index + 1, []]));
const brokenState = { schema: 1, vantages: { a: { at: 1, nodes: entries } } };
const config = (text: string) => () => validateConfig(text, "mirrors.json");

test.each([
  ["a feed nested without end", config("[".repeat(many)), "nested too deeply"],
  ["a feed of many invalid nodes", config(JSON.stringify(manyNodes)), "too many problems"],
  ["a feed that is not JSON anywhere", config("@ ".repeat(many)), "line 1, column 1"],
  ["a feed with a repeated name", config(`{${'"a":1,'.repeat(many)}"b":1}`), "and 803 more"],
  ["a broken state", () => parseState(JSON.stringify(brokenState), "state.json"), "is not valid"],
])("%s is refused in one sentence", (_, door, sentence) => {
  const refused = inputErrorOf(door);
  expect(refused).toContain(sentence);
  expect(refused.length).toBeLessThan(20_000);
});

test("an unexpected error is not a problem of the text", () => {
  const problem = new TypeError("unexpected");
  const parse = () => {
    throw problem;
  };
  expect(() => withinStack(parse, "theirs")).toThrow(problem);
});
