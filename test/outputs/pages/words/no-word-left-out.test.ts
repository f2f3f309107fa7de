import { textOf } from "../../../support/text-of.ts";
import { describe, expect, test } from "vitest";
import { renderEmbeds } from "../../../../src/outputs/pages/embeds.tsx";
import { renderPages } from "../../../../src/outputs/pages/pages.tsx";
import {
  downFeed,
  firstFeed,
  healthyFeed,
  largeFeed,
  offlineFeed,
  partialFeed,
  type PlayedFeed,
  vantagesFeed,
} from "../feeds.ts";
import { dataOf, leftOf, pseudo, textsOf } from "../../../support/pseudo-language.ts";

const feeds: Readonly<Record<string, PlayedFeed>> = {
  healthy: healthyFeed(),
  partial: partialFeed(),
  "partial below a path": partialFeed("/mirrors/feed"),
  down: downFeed(),
  offline: offlineFeed(),
  first: firstFeed(),
  vantages: vantagesFeed(),
  "one page for each mirror": largeFeed(10, 12),
  folded: largeFeed(30),
};

describe("no word is left out of the catalogue", () => {
  test.each(Object.entries(feeds))("on the pages of a feed: %s", (_, played) => {
    const data = dataOf(played);
    const pages = [...renderPages(played.feed, pseudo), ...renderEmbeds(played.feed, pseudo)].filter(
      ({ path }) => path.endsWith(".html"),
    );
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
