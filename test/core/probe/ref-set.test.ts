import { expect, test } from "vitest";
import { parseRefSet } from "../../../src/core/probe/ref-set.ts";

const id = "0123456789abcdef0123456789abcdef01234567";

test.each([
  ["nothing", "", {}],
  ["one ref", `${id} refs/heads/main`, { "refs/heads/main": id }],
  ["a SHA-256 id", `${id}${id.slice(0, 24)} HEAD`, { HEAD: `${id}${id.slice(0, 24)}` }],
])("a set of %s is read", (_, text, refs) => {
  expect(parseRefSet(text)).toEqual(new Map(Object.entries(refs)));
});

test.each([
  ["an id that is too short", `${id.slice(1)} HEAD`],
  ["an id that is too long", `${id}0 HEAD`],
  ["an id that is not hexadecimal", `${"g".repeat(40)} HEAD`],
  ["no id", "refs/heads/main"],
  ["no name", `${id} `],
  ["a control character in a name", `${id} refs/heads/\u0007`],
  ["a wrong line after a good one", `${id} HEAD\nx`],
])("a set with %s is not", (_, text) => {
  expect(parseRefSet(text)).toBeUndefined();
});
