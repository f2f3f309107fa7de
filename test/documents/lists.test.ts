import { expect, test } from "vitest";
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
