import { type Format, formatIn } from "../../base/text/time-format.ts";
import type { Feed, Site } from "../../feed/feed.ts";
import { english, type Words } from "./words/english.ts";

export interface Wording {
  readonly words: Words;
  readonly format: Format;
  /** Takes a two-letter country code. */
  readonly countryName: (country: string) => string;
}

export function wordingOf({ timezone }: Pick<Site, "timezone">): Wording {
  const words = english;
  const countries = new Intl.DisplayNames(words.locale, { type: "region" });
  const countryName = (country: string): string => countries.of(country) ?? country;
  return { words, format: formatIn(timezone), countryName };
}

export interface SitePage extends Wording {
  readonly site: Site;
  /** The page's path on the site, with a leading and a trailing slash. */
  readonly path: string;
  /** The relative path to the site's root: `./`, or `../` for each folder. */
  readonly top: string;
}

export function sitePageOf(site: Site, path: string, wording: Wording): SitePage {
  return { site, path, top: "../".repeat(path.split("/").length - 2) || "./", ...wording };
}

export interface PageFeed extends Feed, SitePage {
  readonly site: Site;
}

export function pageFeedOf(feed: Feed, path: string, wording: Wording): PageFeed {
  return { ...feed, ...sitePageOf(feed.site, path, wording) };
}

/** Only the overview describes the last run, so other pages don't change with every run. */
export function isOverview({ path }: SitePage): boolean {
  return path === "/";
}

/** Returns whether the page at a path would show the same targets as the overview. */
export function isWholeFeed({ systems }: Feed, path: string): boolean {
  const [first, ...others] = systems;
  const [, folder, , project, target] = path.split("/");
  if (folder !== "status" || target || others.length > 0) return false;
  return !project || first?.projects.length === 1;
}

/** Returns a relative link, so that the site works below any path. */
export function link({ top }: Pick<SitePage, "top">, path: string): string {
  return top + path.slice(1);
}
