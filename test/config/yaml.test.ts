import { expect, test } from "vitest";
import { parseYamlList } from "../../src/config/yaml.ts";
import { inputErrorOf } from "../support/mirrors-json.ts";

test("items have their lines and their values", () => {
  const text = "a: &a { x: 1 }\nlist:\n  - 1\n  - *a\n\n  - <<: *a\n    y: 2\n";
  expect(parseYamlList(text, "list", "a.yml")).toEqual([
    { line: 3, value: 1 },
    { line: 4, value: { x: 1 } },
    { line: 6, value: { x: 1, y: 2 } },
  ]);
  expect(parseYamlList(text, "a", "a.yml")).toBeUndefined();
  expect(parseYamlList("- 1", "list", "a.yml")).toBeUndefined();
  expect(parseYamlList("", "list", "a.yml")).toBeUndefined();
});

const bomb = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]`),
  "list: [*a9]",
].join("\n");

test.each<[string, string, RegExp]>([
  ["a syntax error", "list:\n  - [", /^a\.yml is not valid YAML; correct line 2, column 6: .+/],
  ["several documents", "list: []\n---\nlist: []", /^a\.yml contains several YAML documents/],
  ["more than 1 MiB", "#".repeat(1024 * 1024 + 1), /^a\.yml is larger than 1 MiB/],
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
  expect(inputErrorOf(() => parseYamlList(text, "list", "a.yml"))).toMatch(sentence);
});

test("a large list is read in one pass", () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `key${n}: 1\n`).join("");
  const items = Array.from({ length: 5000 }, (_, n) => `  - <<: *a\n    url: https://m${n}.example.org/\n`);
  const text = `base: &a { group: x }\n${keys}list:\n${items.join("")}`;
  const list = parseYamlList(text, "list", "a.yml") ?? [];
  expect(list).toHaveLength(5000);
  expect(list.at(-1)).toEqual({ line: 30_001, value: { group: "x", url: "https://m4999.example.org/" } });
});
