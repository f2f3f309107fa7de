import type { Format } from "../language/format.ts";
import type { Words } from "../language/words.ts";
import type { Feed } from "../model/feed.ts";

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

/** A feed with the link prefix of one page, the words of its language and the form of its dates. */
export interface PageFeed extends Feed, Links {
  readonly words: Words;
  readonly format: Format;
}

/** Returns a feed for the page at `path`. */
export function pageFeedOf(feed: Feed, path: string, wording: Pick<PageFeed, "words" | "format">): PageFeed {
  const { top } = linksFrom(path);
  // If it began with a spread, V8 would give each page a hidden class, as in model/resolve.ts.
  return { top, ...feed, ...wording };
}

export {
  incidentPath,
  maxSections,
  nodePath,
  projectPath,
  systemPath,
  targetPath,
} from "../model/page-paths.ts";
