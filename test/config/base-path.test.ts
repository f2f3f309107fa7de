import { expect, test } from "vitest";
import { basePath, withSiteUrl } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { feedConfig } from "../support/contract/feed.ts";

const given = "https://octocat.github.io/feed";

test("a site that names no URL of its own has the one that is given", () => {
  expect(feedConfig.site.url).toBeUndefined();
  const config = withSiteUrl(feedConfig, given);
  expect(config).toEqual({ ...feedConfig, site: { ...feedConfig.site, url: given } });
  expect(basePath(config)).toBe("/feed");
  expect(validateConfig(JSON.stringify(config), "mirrors.json")).toEqual(config);
});

test("a site that names its URL keeps it", () => {
  const config = { ...feedConfig, site: { ...feedConfig.site, url: "https://status.example.org/" } };
  expect(withSiteUrl(config, given)).toBe(config);
  expect(withSiteUrl(feedConfig, undefined)).toBe(feedConfig);
  expect(withSiteUrl(feedConfig, "")).toBe(feedConfig);
});
