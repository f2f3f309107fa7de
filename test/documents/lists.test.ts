import { describe, expect, test } from "vitest";
import { kindNames, kinds } from "../../src/kinds/kinds.ts";
import { loadDocument } from "../support/document.ts";

test("lists.md names the lists of every kind by their extensions", () => {
  const { text } = loadDocument(".github/docs/lists.md");
  const shown = [...text.matchAll(/^\| `(\w+)` +\| `(\.\w+)`/gm)].map(([, kind, extension]) => [
    kind,
    extension,
  ]);
  const known = kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).map(({ extension }) => [kind, `.${extension.replace(/^\./, "")}`]),
  );
  expect(shown.toSorted()).toEqual(known.toSorted());
});

describe("the samples of lists.md", () => {
  const { sections } = loadDocument(".github/docs/lists.md");
  const lists = kindNames.flatMap((kind) => kinds[kind].lists ?? []);

  // A key of its own and where the file lies are the reader's choice.
  const chosen = / \[signed-by=[^\]]*\]|(?<=^\[)example(?=\])|^name=.*$|^gpgcheck=1$/gm;

  test.each(lists)("have the line that the pages show for $tool", ({ extension, usage }) => {
    const address = new RegExp(`https://status\\.example\\.org/mirrorlist/\\S+\\.${extension}(?= |$)`, "m");
    const shown = sections.flatMap(({ blocks }) => blocks).filter(({ text }) => address.test(text));
    expect(shown).toHaveLength(1);
    const [{ text } = { text: "" }] = shown;
    const url = address.exec(text)?.[0] ?? "";
    const line = usage?.line(url, {});
    if (line !== undefined) expect(text.replaceAll(chosen, "").split("\n")).toContain(line);
  });
});
