import type { SiteFile } from "../../core/base/files/site-file.ts";
import { escapeXml } from "../../core/base/text/quote.ts";
import { jsonText } from "../../core/contract/contract.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import { entriesOf, entryId, type JsonFeed } from "./change-entries.ts";
import { pageUrl, projectPath } from "../../core/feed/page-paths.ts";

/** Renders each change feed as Atom (RFC 4287) and as JSON Feed 1.1. It changes only when a mirror or a notice does. */
export function renderFeeds(feed: Feed): SiteFile[] {
  return scopesOf(feed).flatMap((scope) => [
    { path: `${scope.path}.atom`, content: () => atomText(feed, scope) },
    { path: `${scope.path}.json`, content: () => jsonText(jsonFeed(feed, scope)) },
  ]);
}

type Scope = ReturnType<typeof scopesOf>[number];

/** Returns what each feed is about: all systems together, or a project. `path` lacks the extension. */
function scopesOf({ site, systems, notices }: Feed) {
  const projects = systems.flatMap((system) => system.projects);
  return [
    { path: "feed", page: "/", title: site.title, targets: targetsOf(systems), notices },
    ...projects.map(({ system, project, targets }) => {
      const place = `${system}/${project}`;
      const nodes = new Set(nodesOf(targets));
      const own = notices.filter((notice) => notice.nodes?.some((node) => nodes.has(node)));
      const [page, title] = [projectPath({ system, project }), `${site.title}: ${place}`];
      return { path: `feed/${place}`, page, title, targets, notices: own };
    }),
  ];
}

/** Uses no library: libraries write titles as HTML, and feed readers that expect plain text would show `&amp;`. */
function atomText(feed: Feed, scope: Scope): string {
  const { title, home_page_url, feed_url, items } = jsonFeed(feed, scope);
  const link = (rel: string, href: string | undefined): string[] =>
    href === undefined ? [] : [`  <link rel="${rel}" href="${escapeXml(href)}"/>`];
  const nodes = nodesOf(scope.targets);
  const [oldest = isoTimestamp(0)] = nodes.flatMap(({ since }) => since ?? []).sort();
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">`,
    `  <id>${entryId({ url: feed.url ?? nodes[0]?.url }, ["feed", scope.path])}</id>`,
    `  <title>${escapeXml(title)}</title>`,
    `  <updated>${items[0]?.date_published ?? oldest}</updated>`,
    `  <author><name>${escapeXml(feed.site.title)}</name></author>`,
    ...link("alternate", home_page_url),
    ...link("self", feed_url?.replace(/json$/, "atom")),
    ...items.flatMap((entry) => [
      "  <entry>",
      `    <id>${entry.id}</id>`,
      `    <title>${escapeXml(entry.title)}</title>`,
      ...(entry.url === undefined ? [] : [`    <link href="${escapeXml(entry.url)}"/>`]),
      `    <updated>${entry.date_published}</updated>`,
      `    <published>${entry.date_published}</published>`,
      ...(entry.tags ?? []).map((tag) => `    <category term="${tag}"/>`),
      `    <content>${escapeXml(entry.content_text)}</content>`,
      "  </entry>",
    ]),
    "</feed>",
  ];
  return `${lines.join("\n")}\n`;
}

function jsonFeed(feed: Feed, { path, page, title, targets, notices }: Scope): JsonFeed {
  return {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: pageUrl(feed, page),
    feed_url: pageUrl(feed, `/${path}.json`),
    authors: [{ name: feed.site.title }],
    language: "en",
    items: entriesOf(feed, targets, notices),
  };
}
