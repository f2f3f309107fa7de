import { textOf } from "../../../support/text-of.ts";
import { describe, expect, test } from "vitest";
import { renderPages } from "../../../../src/outputs/pages/pages.tsx";
import { everyFeed } from "../feeds.ts";
import { dataOf, leftOf, pseudo, textsOf } from "../../../support/pseudo-language.ts";

/** Leaves out hostile names: they are escaped, so the test would not recognize them as data. */
const { hostile: _, ...feeds } = everyFeed;

describe("no word is left out of the catalogue", () => {
  test.each(Object.entries(feeds))("on the pages of a feed: %s", (__, play) => {
    const played = play();
    const data = dataOf(played);
    const pages = renderPages(played.feed, pseudo).filter(({ path }) => path.endsWith(".html"));
    const left = new Map<string, string>();
    for (const file of pages)
      for (const text of textsOf(textOf(file))) {
        const rest = leftOf(text, data);
        if (rest !== "") left.set(rest, file.path);
      }
    expect(Object.fromEntries(left)).toEqual({});
  });

  test("a word outside of it is found", () => {
    expect(leftOf("⟦Last ⟦12⟧⟧ run of x/y", ["x/y"])).toBe("run of");
    expect(leftOf("⟦Last ⟦12⟧⟧ x/y OpenAPI, 7 ms", ["x/y"])).toBe("");
    expect(textsOf('<p title="Now">Then <code>curl</code></p>')).toEqual(
      expect.arrayContaining(["Then", "Now"]),
    );
  });
});
