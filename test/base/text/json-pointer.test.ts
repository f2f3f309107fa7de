import { expect, test } from "vitest";
import { jsonPointerPattern, valueAt } from "../../../src/base/text/json-pointer.ts";

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
