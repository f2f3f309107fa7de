import { type Format, formatIn } from "../../base/text/timestamp.ts";
import type { Feed, Site } from "../../feed/feed.ts";
import { english, type Words } from "./words/english.ts";
import { german } from "./words/german.ts";

export interface Wording {
  readonly words: Words;
  readonly format: Format;
  /** Returns the name of a country by its two letters. */
  readonly countryName: (country: string) => string;
}

const catalogues: Readonly<Record<Site["language"], Words>> = { en: english, de: german };

export function wordingOf({ language, timezone }: Pick<Site, "language" | "timezone">): Wording {
  const words = catalogues[language];
  const countries = new Intl.DisplayNames(words.locale, { type: "region" });
  const countryName = (country: string): string => countries.of(country) ?? country;
  return { words, format: formatIn(words.locale, timezone), countryName };
}

export interface SitePage extends Wording {
  readonly site: Site;
  /** The path below the root of the site, with a slash at its start and its end. */
  readonly path: string;
  /** The path to the root of the site: `./`, or `../` for each folder of the page. */
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

/** The overview changes with every run. Other pages change with a status or the day, and say nothing of the last run. */
export function isOverview({ path }: SitePage): boolean {
  return path === "/";
}

/** Returns whether the page of a folder would show the same targets as the overview. */
export function isWholeFeed({ systems }: Feed, path: string): boolean {
  const [first, ...others] = systems;
  const [, folder, , project, target] = path.split("/");
  if (folder !== "status" || target || others.length > 0) return false;
  return !project || first?.projects.length === 1;
}

/** Links are relative, so that the site works below any path. */
export function link({ top }: Pick<SitePage, "top">, path: string): string {
  return top + path.slice(1);
}
