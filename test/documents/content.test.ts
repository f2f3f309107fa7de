import { expect, test } from "vitest";
import { contentCodeNames } from "../../src/kinds/mirror-content.ts";
import { kindNames, kinds } from "../../src/kinds/kinds.ts";
import { validatePart } from "../support/document-json.ts";
import { loadDocument } from "../support/document.ts";

const guide = loadDocument(".github/docs/content.md");

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
      validatePart(
        `"probe": { "kind": "http", "http": { "content": { "timestamp": ${timestamp} } } }`,
        "content.md",
      );
    }).not.toThrow();
});
