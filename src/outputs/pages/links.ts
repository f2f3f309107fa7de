import type { Config } from "../../config/schema.ts";
import type { Feed } from "../../feed/feed.ts";
import type { Wording } from "./timestamp.tsx";

/** The prefix of the links on one page. */
export interface Links {
  /** The relative path from the page to the root of the site: `./`, or `../` for each folder of the page. */
  readonly top: string;
}

/** Returns the prefix of the links on the page at `path`, which has a slash at its start and its end. */
export function linksFrom(path: string): Links {
  return { top: "../".repeat(path.split("/").length - 2) || "./" };
}

/**
 * Returns the relative link from a page to a path of the site, which has a slash at its start. Relative links let the site
 * work below any path.
 */
export function link({ top }: Links, path: string): string {
  return top + path.slice(1);
}

/** What a page shares with others of its site, and where it is. */
export interface SitePage extends Links, Wording {
  readonly site: Config["site"];
  /** The path below the root of the site, with a slash at its start and its end. */
  readonly path: string;
}

/** A feed for one page. */
export interface PageFeed extends Feed, SitePage {
  readonly site: Config["site"];
}

/** Returns a feed for the page at `path`. */
export function pageFeedOf(feed: Feed, path: string, wording: Wording): PageFeed {
  const { top } = linksFrom(path);
  return { ...feed, ...wording, top, path };
}

export {
  incidentPath,
  maxSections,
  nodePath,
  projectPath,
  systemPath,
  targetPath,
} from "../../contract/page-paths.ts";
