import { expect, test } from "vitest";
import { parseYaml } from "../../../src/core/config/yaml.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";

test("aliases and merge keys are resolved", () => {
  expect(parseYaml("a: &a { x: 1 }\nb: *a\nc: { <<: *a, y: 2 }\n", "a.yml")).toEqual({
    ...{ a: { x: 1 }, b: { x: 1 }, c: { x: 1, y: 2 } },
  });
});

const bomb = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]`),
  "list: [*a9]",
].join("\n");

test.each<[string, string, RegExp]>([
  ["a syntax error", "list:\n  - [", /^a\.yml is not valid YAML; correct line 2, column 6: .+/],
  ["several documents", "list: []\n---\nlist: []", /^a\.yml contains several YAML documents/],
  ["half a million lists in each other", `list: ${"[".repeat(500_000)}`, /nested more than 50 levels deep/],
  ["thousands of keys in each other", "? ".repeat(20_000), /nested more than 50 levels deep/],
  ["thousands of sequences in each other", "- ".repeat(20_000), /nested more than 50 levels deep/],
  ["thousands of maps in each other", "{a: ".repeat(20_000), /nested more than 50 levels deep/],
  ["thousands of maps in keys", "{? ".repeat(20_000), /nested more than 50 levels deep/],
  ["aliases that multiply", bomb, /cannot be resolved \(Excessive alias count/],
  ["an alias of nothing", "list: [*nothing]", /cannot be resolved \(Unresolved alias.*nothing/],
  ["a merge key within itself", "list: [&a { <<: *a }]", /cannot be resolved/],
  ["merge keys in a circle", "a: &a { <<: *b }\nb: &b { <<: *a }\nlist: [*a]", /cannot be resolved/],
  ["100,000 quotes", '"'.repeat(100_000), /is not valid YAML/],
])("%s is refused with a sentence", (_, text, sentence) => {
  expect(inputErrorOf(() => parseYaml(text, "a.yml"))).toMatch(sentence);
});
