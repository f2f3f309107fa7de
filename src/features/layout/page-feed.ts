import { formatIn } from "../../core/base/text/time.ts";
import type { Feed, Site } from "../../core/feed/feed.ts";

export type SitePage = Readonly<ReturnType<typeof sitePageOf>>;

/** `path` is the page's path on the site, with a leading and a trailing slash. `top` is the way back to the root. */
export function sitePageOf(site: Site, path: string, format = formatIn(site.timezone)) {
  return { site, path, top: "../".repeat(path.split("/").length - 2) || "./", format };
}

export type PageFeed = Feed & SitePage;

export function overviewOf({ site }: Pick<SitePage, "site">): string {
  return site.overviewPath ?? "/";
}

/** Only the overview describes the last run, so other pages don't change with every run. */
export function isOverview(page: SitePage): boolean {
  return page.path === overviewOf(page);
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
