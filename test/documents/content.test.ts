import { expect, test } from "vitest";
import { contentCodeNames } from "../../src/kinds/content-codes.ts";
import { maxRefs } from "../../src/kinds/git-refs.ts";
import { kindNames, kinds } from "../../src/kinds/kinds.ts";
import { maxListBytes, maxSamples } from "../../src/kinds/samples.ts";
import { namesKept } from "../../src/state/document.ts";
import { setsKept } from "../../src/state/reference-document.ts";
import { validatePart } from "../support/document-json.ts";
import { blocksOf, loadDocument } from "../support/document.ts";

const guide = loadDocument(".github/docs/content.md");

test("its limits are those of the program", () => {
  const limits: [number, string][] = [
    [maxRefs, "more than 2,000 refs"],
    [setsKept, "one of the last 20 states"],
    [namesKept, "names five of each"],
    [maxListBytes / 1024 / 1024, "at most 16 MB"],
    [maxSamples, "keeps 16 packages"],
  ];
  expect(limits.map(([limit]) => limit)).toEqual([2000, 20, 5, 16, 16]);
  const text = guide.text.replaceAll(/\s+/g, " ");
  for (const [, words] of limits) expect(text).toContain(words);
});

test("each kind has a section, and each of its codes and those of content is named", () => {
  for (const kind of kindNames) expect(guide.text).toMatch(new RegExp(`^## .*kind \`${kind}\`$`, "m"));
  const own = kindNames.flatMap((kind) => Object.keys(kinds[kind].codes));
  const elsewhere = ["not_git"];
  for (const code of [...own, ...contentCodeNames].filter((one) => !elsewhere.includes(one)))
    expect(guide.text).toContain(`\`${code}\``);
});

test("each timestamp of the table is valid", () => {
  const rows = [...guide.text.matchAll(/^\| `(\{.*?\})` +\|/gm)].map(([, one = ""]) => one);
  expect(rows).toHaveLength(5);
  for (const timestamp of rows)
    expect(() => {
      validatePart(`"probe": { "kind": "http", "content": { "timestamp": ${timestamp} } }`, "content.md");
    }).not.toThrow();
  expect(blocksOf(guide, "json5")).toHaveLength(7);
});
