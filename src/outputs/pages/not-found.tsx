import { notFoundPage } from "../../contract/contract.ts";
import type { Feed } from "../../feed/feed.ts";
import { pageDocument } from "./layout.tsx";
import { sitePageOf, type Wording } from "./page-feed.ts";
import { joined, pageLink } from "./parts.tsx";

/** Hosts send this page for paths of any depth, so its links start with the site's path. */
export function renderNotFound({ site, url }: Pick<Feed, "site" | "url">, wording: Wording): string {
  const root = url === undefined ? "/" : new URL(`${url}/`).pathname;
  const page = { ...sitePageOf(site, `/${notFoundPage}`, wording), top: root };
  const { notFound, places, layout } = wording.words;
  return pageDocument({
    feed: page,
    title: notFound.heading,
    hasStatuses: false,
    children: (
      <div class="state">
        <h1>{notFound.heading}</h1>
        <p>{notFound.explanation}</p>
        <p>{joined([pageLink(page, "/", places.overview), pageLink(page, "/docs/", layout.api)])}</p>
      </div>
    ),
  });
}
