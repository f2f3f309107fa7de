import type { Feed, Project, TargetInfo } from "../model/feed.ts";

/** How the links of one page begin. */
export interface Links {
  /** The way from the page to the top of the site: `./`, or `../` for each folder that the page is in. */
  readonly top: string;
}

/** Returns how the links begin on the page at a path, which has a slash at its start and its end. */
export function linksFrom(path: string): Links {
  return { top: "../".repeat(path.split("/").length - 2) || "./" };
}

/**
 * Returns a link from a page to a path below the top of its site, which has a slash at its start. The link is relative,
 * so that the site works below any path without being told where it is.
 */
export function link({ top }: Links, path: string): string {
  return top + path.slice(1);
}

/** A feed for one page, which knows how the links of that page begin. */
export interface PageFeed extends Feed, Links {}

/** Returns the path of a project's page. */
export function projectPath({ system, project }: Pick<Project, "system" | "project">): string {
  return `/status/${system}/${project}/`;
}

/** Returns the path of a target's page. */
export function targetPath({ place }: TargetInfo): string {
  return `/status/${place}/`;
}
