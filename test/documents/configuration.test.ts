import { textOf } from "../support/text-of.ts";
import { expect, test } from "vitest";
import type { Config } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { renderDocs } from "../../src/outputs/pages/docs/docs.tsx";
import { hosts } from "../../src/hosts/registry.ts";
import { formatNames } from "../../src/config/import/list-format.ts";
import { renderFeeds } from "../../src/outputs/changes/change-feed.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { describeConfig, feedWith } from "../support/feed-with.ts";

const guide = loadDocument(".github/docs/configuration.md");
const [whole] = blocksOf(guide, "json");

/** Returns the first sample of the guide with this `site`. */
function configOf(site: object): Config {
  return validateConfig(JSON.stringify({ ...(JSON.parse(whole?.text ?? "") as object), site }), "the guide");
}

test("every host but GitHub Pages has rules that contain the path of site.url", () => {
  const input = {
    feed: configOf({}).systems,
    basePath: "/below/here",
    listen: { address: "127.0.0.1", port: 80 },
    root: "/srv",
    companions: "/etc/feed",
  };
  const others = hosts.filter(({ siteFiles, serverFiles }) =>
    [...siteFiles(input), ...(serverFiles?.(input) ?? [])].every((file) => !/below/.test(textOf(file))),
  );
  expect(others.map(({ title }) => title)).toEqual(["GitHub Pages"]);
});

test.each([
  [{}, false, "https://feed.example.org/"],
  [{ url: "https://status.example.org/" }, true, "https://status.example.org/"],
])("the change feeds and the examples of a site with %j", (site, hasSelf, url) => {
  const config = configOf(site);
  const [atom] = renderFeeds(feedWith(config, new Map()));
  expect(textOf(atom).includes('rel="self"')).toBe(hasSelf);
  const [docs] = renderDocs(config.site, describeConfig(config));
  expect(textOf(docs)).toContain(url);
});

test("the reference of a feed stays in English", () => {
  const config = configOf({ language: "de" });
  const [docs] = renderDocs(config.site, describeConfig(config));
  expect(textOf(docs)).toContain('<html lang="en">');
});

test("the formats of lists are those of the program", () => {
  const named = [...guide.text.matchAll(/^\| `(\w+)` +\| .* \| .* \|$/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...formatNames].toSorted());
});
