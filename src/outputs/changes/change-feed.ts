import { jsonText } from "../../contract/contract.ts";
import { type SiteFile } from "../../base/files/site-file.ts";
import type { JsonFeed } from "./change-feed-schema.ts";
import { type Feed, nodesOf, type Notice, type Target, targetsOf } from "../../feed/feed.ts";
import { isoTimestamp } from "../../feed/timestamp.ts";
import { escapeXml } from "../../base/text/quote.ts";
import { type Entry, entriesOf, nameUuid, siteAddress } from "./change-entries.ts";

/** The subject of an Atom feed and its JSON Feed: all systems, one project or one target. */
interface Scope {
  /** The path of the documents, without their extension. */
  readonly path: string;
  /** The path of the page with the same content. */
  readonly page: string;
  readonly title: string;
  readonly targets: readonly Target[];
  readonly notices: readonly Notice[];
}

/**
 * Returns the change feeds, one for all systems, one for each project and, if the site asks for them, one for each
 * target, as Atom (RFC 4287) and as JSON Feed 1.1. Feeds change
 * only when a mirror does or a notice begins, and published entries never change.
 */
export function renderFeeds(feed: Feed): SiteFile[] {
  const { site, systems, notices } = feed;
  const scopes: Scope[] = [
    { path: "feed", page: "", title: site.title, targets: targetsOf(systems), notices },
    ...systems
      .flatMap(({ projects }) => projects)
      .map(({ system, project, targets }) => ({
        path: `feed/${system}/${project}`,
        page: `status/${system}/${project}/`,
        title: `${site.title}: ${system}/${project}`,
        targets,
        notices: noticesAbout(notices, targets),
      })),
    ...(site.targetFeeds ? targetsOf(systems) : []).map((target) => ({
      path: `feed/${target.place}`,
      page: `status/${target.place}/`,
      title: `${site.title}: ${target.place}`,
      targets: [target],
      notices: noticesAbout(notices, [target]),
    })),
  ];
  return scopes.flatMap((scope) => {
    const entries = (): Entry[] => entriesOf(feed, scope.targets, scope.notices);
    return [
      { path: `${scope.path}.atom`, content: () => atomText(feed, scope, entries()) },
      { path: `${scope.path}.json`, content: () => jsonText(jsonFeed(feed, scope, entries())) },
    ];
  });
}

/** Returns the notices about mirrors of these targets. */
function noticesAbout(notices: readonly Notice[], targets: readonly Target[]): Notice[] {
  if (notices.length === 0) return [];
  const own = new Set(nodesOf(targets));
  return notices.filter(({ nodes = [] }) => nodes.some((node) => own.has(node)));
}

/**
 * Returns an Atom document (RFC 4287), whose texts are plain text. Libraries write titles as HTML, and feed readers that expect
 * plain text then show `&amp;`.
 */
function atomText(feed: Feed, scope: Scope, entries: readonly Entry[]): string {
  const { path, page, title, targets } = scope;
  const alternate = siteAddress(feed, page);
  const self = siteAddress(feed, `${path}.atom`);
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${feedId(scope)}</id>`,
    `  <title>${escapeXml(title)}</title>`,
    `  <updated>${entries[0]?.at ?? oldestSince(targets)}</updated>`,
    `  <author><name>${escapeXml(feed.site.title)}</name></author>`,
    ...(alternate === undefined ? [] : [`  <link rel="alternate" href="${escapeXml(alternate)}"/>`]),
    ...(self === undefined ? [] : [`  <link rel="self" href="${escapeXml(self)}"/>`]),
    ...entries.flatMap(atomEntry),
    "</feed>",
  ];
  return `${lines.join("\n")}\n`;
}

function atomEntry({ id, title, link, at, text, category }: Entry): string[] {
  return [
    "  <entry>",
    `    <id>${id}</id>`,
    `    <title>${escapeXml(title)}</title>`,
    `    <link href="${escapeXml(link)}"/>`,
    `    <updated>${at}</updated>`,
    `    <published>${at}</published>`,
    ...(category === undefined ? [] : [`    <category term="${category}"/>`]),
    `    <content>${escapeXml(text)}</content>`,
    "  </entry>",
  ];
}

/**
 * Returns the permanent id of a feed, from the path of the feed and the node with the lowest id. It does not depend on the URL
 * or the title of the site.
 */
function feedId({ path, targets }: Scope): string {
  const [first, ...others] = nodesOf(targets);
  const lowest = others.reduce((low, node) => (low === undefined || node.id < low.id ? node : low), first);
  return nameUuid(["feed", path, lowest?.url ?? ""]);
}

/** Returns a document in the format of JSON Feed 1.1. */
function jsonFeed(feed: Feed, { path, page, title }: Scope, entries: readonly Entry[]): JsonFeed {
  return {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: siteAddress(feed, page),
    feed_url: siteAddress(feed, `${path}.json`),
    authors: [{ name: feed.site.title }],
    language: "en",
    items: entries.map(({ id, link, title, text, at, category, data }) => {
      const tags = category === undefined ? undefined : [category];
      return { id, url: link, title, content_text: text, date_published: at, tags, _mirrorfeed: data };
    }),
  };
}

/** Returns the time of the oldest status of the targets, or 1970 if no node was ever observed. */
function oldestSince(targets: readonly Target[]): string {
  const known = nodesOf(targets).flatMap(({ since }) => since ?? []);
  return known.reduce((oldest, since) => (since < oldest ? since : oldest), known[0] ?? isoTimestamp(0));
}
