import type { SiteFile } from "../../core/base/files/site-file.ts";
import { escapeXml } from "../../core/base/text/quote.ts";
import { notFoundPage } from "../../core/contract/contract.ts";
import {
  incidentPath,
  maxSections,
  nodePath,
  projectPath,
  subscribePath,
  systemPath,
  systemsPath,
  targetPath,
} from "../../core/feed/page-paths.ts";
import { formatIn } from "../../core/base/text/time.ts";
import type { Feed, Site } from "../../core/feed/feed.ts";
import { incidentsPage } from "../incidents/incident-list.tsx";
import { incidentPage, noticePage } from "../incidents/incident-pages.tsx";
import { searchIndex, searchIndexPath } from "./search-document.ts";
import { nodePage } from "./mirror-page.tsx";
import { pageDocument } from "../layout/layout.tsx";
import { isWholeFeed, overviewOf, type PageFeed, sitePageOf } from "../layout/page-feed.ts";
import { joined, pageLink } from "../layout/parts.tsx";
import { overviewPage, projectPage, repeatedPage, systemPage, systemsPage } from "./place-pages.tsx";
import { subscribePage } from "../changes/subscribe-page.tsx";
import { targetPage } from "./target-page.tsx";

export function renderPages(feed: Feed): SiteFile[] {
  const format = formatIn(feed.site.timezone);
  const page = (path: string, render: (feed: PageFeed) => string): SiteFile => ({
    path: `${path.slice(1)}index.html`,
    content: () => render({ ...feed, ...sitePageOf(feed.site, path, format) }),
  });
  const place = (path: string, render: (feed: PageFeed) => string): SiteFile =>
    page(path, isWholeFeed(feed, path) ? repeatedPage : render);
  return [
    ...siteFiles(feed.site),
    ...sitemap(feed),
    { path: notFoundPage, content: () => renderNotFound(feed) },
    page(overviewOf(feed), overviewPage),
    { path: searchIndexPath.slice(1), content: () => searchIndex(feed, format) },
    page(incidentPath(), incidentsPage),
    ...feed.incidents.map((incident) => page(incidentPath(incident.id), (of) => incidentPage(of, incident))),
    ...feed.notices.map((notice) => page(incidentPath(notice.name), (of) => noticePage(of, notice))),
    page(subscribePath, subscribePage),
    ...(overviewOf(feed) === systemsPath ? [] : [place(systemsPath, systemsPage)]),
    ...feed.systems.map((system) => place(systemPath(system.system), (of) => systemPage(of, system))),
    ...feed.systems
      .flatMap(({ projects }) => projects)
      .flatMap((project) => [
        place(projectPath(project), (of) => projectPage(of, project)),
        ...project.targets.flatMap((target) => [
          page(targetPath(target), (of) => targetPage(of, target)),
          ...(target.size > maxSections ? target.nodes : []).map((node) =>
            page(nodePath(node), (of) => nodePage(of, node)),
          ),
        ]),
      ]),
  ];
}

/** Hosts send this page for paths of any depth, so its links start with the site's path. */
function renderNotFound({ site, url }: Pick<Feed, "site" | "url">): string {
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

/** The accent has its own stylesheet, since the pages' Content-Security-Policy forbids inline styles. */
function siteFiles({ title, accent }: Site): SiteFile[] {
  const icons = [192, 512].map((size) => ({
    src: `assets/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  }));
  const manifest = { name: title, lang: "en", start_url: "./", display: "browser", icons };
  const files = [{ path: "site.webmanifest", content: `${JSON.stringify(manifest)}\n` }];
  if (accent !== undefined) {
    // Every colour of these lightnesses has a contrast of at least 4.5:1 with the pages' backgrounds.
    const rule = (lightness: string) => `:root{--accent:oklch(from ${accent} ${lightness} c h)}`;
    const rules = `${rule("min(l,0.5)")}@media(prefers-color-scheme:dark){${rule("max(l,0.7)")}}`;
    const content = `@supports(color:oklch(from red l c h)){${rules}}\n`;
    files.push({ path: "assets/site.css", content });
  }
  return files;
}

/** A sitemap can have at most this many URLs: https://www.sitemaps.org/protocol.html */
const maxSitemap = 50_000;

/** Returns a sitemap of the permanent pages. It needs absolute URLs, so a site without a URL has no sitemap. */
function sitemap(feed: Feed): SiteFile[] {
  const { url, systems } = feed;
  if (url === undefined) return [];
  const projects = systems.flatMap((system) => system.projects);
  const paths = [
    ...[overviewOf(feed), "/docs/", incidentPath(), subscribePath],
    ...projects.map(projectPath).filter((path) => !isWholeFeed(feed, path)),
    ...projects.flatMap(({ targets }) => targets.map(targetPath)),
  ];
  const urls = paths.slice(0, maxSitemap).map((path) => `<url><loc>${escapeXml(url + path)}</loc></url>\n`);
  const content = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
  return [{ path: "sitemap.xml", content }];
}
