import { expect, test } from "vitest";
import { renderFeeds } from "../../src/outputs/changes/change-feed.ts";
import { renderDocs } from "../../src/outputs/pages/docs/docs.tsx";
import { blocksOf, loadDocument } from "../support/document.ts";
import { describeConfig, feedWith } from "../support/feed-with.ts";
import { configFrom } from "../support/mirrors-json.ts";
import { textOf } from "../support/text-of.ts";

const [whole] = blocksOf(loadDocument(".github/docs/configuration.md"), "json");

test.each([
  [{ language: "de" }, false, "https://feed.example.org/"],
  [{ url: "https://status.example.org/" }, true, "https://status.example.org/"],
])("the change feeds of a site with %j, and its reference in English", (site, hasSelf, url) => {
  const config = configFrom({ ...(JSON.parse(whole?.text ?? "") as object), site });
  const [atom] = renderFeeds(feedWith(config, new Map()));
  expect(textOf(atom).includes('rel="self"')).toBe(hasSelf);
  const [docs] = renderDocs(config.site, describeConfig(config));
  expect(textOf(docs)).toContain(url);
  expect(textOf(docs)).toContain('<html lang="en">');
});

test("each target has feeds of its own if the site asks for them", () => {
  const [readme] = blocksOf(loadDocument("README.md"), "json");
  const paths = (site: object): string[] => {
    const config = configFrom({ ...(JSON.parse(readme?.text ?? "") as object), site });
    return renderFeeds(feedWith(config, new Map())).map(({ path }) => path);
  };
  const own = ["feed/community/jcb/packages.atom", "feed/community/jcb/packages.json"];
  expect(paths({ targetFeeds: true })).toEqual([...paths({}), ...own]);
});
