import { notFoundPage } from "../../core/contract/contract.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { pageDocument } from "../layout/layout.tsx";
import { sitePageOf } from "../layout/page-feed.ts";
import { joined, pageLink } from "../layout/parts.tsx";

/** Hosts send this page for paths of any depth, so its links start with the site's path. */
export function renderNotFound({ site, url }: Pick<Feed, "site" | "url">): string {
  const root = url === undefined ? "/" : new URL(`${url}/`).pathname;
  const page = { ...sitePageOf(site, `/${notFoundPage}`), top: root };
  return pageDocument({
    feed: page,
    title: "Page not found",
    hasStatuses: false,
    children: (
      <div class="state">
        <h1>Page not found</h1>
        <p>
          There is no page at this address. It may have been about a mirror that is no longer in the feed.
        </p>
        <p>{joined([pageLink(page, "/", "Overview"), pageLink(page, "/docs/", "API")])}</p>
      </div>
    ),
  });
}
