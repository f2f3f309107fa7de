import { createHash } from "node:crypto";
import { jsonText } from "../hosts/contract.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { formatDuration } from "../text/duration.ts";
import { printable } from "../text/quote.ts";
import type { JsonFeed } from "./change-feed-schema.ts";
import { type Feed, nodesOf, type RewrittenTag, type Target, targetsOf } from "../model/feed.ts";
import { isoTimestamp } from "../model/timestamp.ts";
import { newestTransitions, type NodeTransition } from "../model/transitions.ts";
import { atomDocument } from "./atom.ts";

/** The maximum of entries in a feed: enough for the start and the end of an outage of 50 mirrors. */
export const maxEntries = 100;

/** The subject of an Atom feed and its JSON Feed: all systems, or one project. */
interface Scope {
  /** The path of the documents, without their extension. */
  readonly path: string;
  /** The path of the page with the same content. */
  readonly page: string;
  readonly title: string;
  readonly targets: readonly Target[];
}

interface Entry {
  readonly id: string;
  readonly link: string;
  readonly title: string;
  readonly text: string;
  readonly at: string;
  /** The change as data, for the JSON Feed. */
  readonly data: JsonFeed["items"][number]["_mirrorfeed"];
}

/**
 * Returns the change feeds, one for all systems and one for each project, as Atom (RFC 4287) and as JSON Feed 1.1. Feeds change
 * only when a status does, and published entries never change.
 */
export function renderFeeds(feed: Feed): SiteFile[] {
  const { site, systems } = feed;
  const scopes: Scope[] = [
    { path: "feed", page: "", title: site.title, targets: targetsOf(systems) },
    ...systems
      .flatMap(({ projects }) => projects)
      .map(({ system, project, targets }) => ({
        path: `feed/${system}/${project}`,
        page: `status/${system}/${project}/`,
        title: `${site.title}: ${system}/${project}`,
        targets,
      })),
  ];
  return scopes.flatMap((scope) => {
    const entries = (): Entry[] => entriesOf(feed, scope.targets);
    return [
      new LazyFile(`${scope.path}.atom`, () => atomText(feed, scope, entries())),
      new LazyFile(`${scope.path}.json`, () => jsonText(jsonFeed(feed, scope, entries()))),
    ];
  });
}

/** Returns the newest entries: the changes of statuses, and the tags of references that were rewritten. */
function entriesOf(feed: Feed, targets: readonly Target[]): Entry[] {
  const changes = newestTransitions(targets, maxEntries).map((transition) => entryOf(feed, transition));
  const rewritten = targets.flatMap((target) =>
    (target.reference?.rewritten ?? []).map((one) => rewrittenEntry(feed, target, one)),
  );
  if (rewritten.length === 0) return changes;
  const newestFirst = (one: Entry, other: Entry): number =>
    one.at > other.at ? -1 : one.at < other.at ? 1 : 0;
  return [...changes, ...rewritten].sort(newestFirst).slice(0, maxEntries);
}

function entryOf(feed: Feed, transition: NodeTransition): Entry {
  const { node, at, status, code, after_seconds } = transition;
  const { system, project, target } = node.target;
  return {
    id: nameUuid(["transition", node.id, at, status]),
    // Feed readers need an absolute link. If the site's URL is unknown, only the mirror's is one.
    link: siteAddress(feed, `status/${node.target.place}/`) ?? node.url,
    title: status === 1 ? `${node.name} is online` : `${node.name} is offline (${code})`,
    text: entryText(transition),
    at,
    data: { system, project, target, id: node.id, status, code, after_seconds },
  };
}

function rewrittenEntry(feed: Feed, target: Target, { at, tag, from, to }: RewrittenTag): Entry {
  const { system, project, place, primary, nodes } = target;
  const mirror = nodes.find(({ id }) => id === primary) ?? nodes[0];
  const change = to === undefined ? "vanished" : `now names ${to}`;
  // XML does not have every character that Git allows.
  const name = printable(tag);
  return {
    id: nameUuid(["rewritten", place, at, tag]),
    link: siteAddress(feed, `status/${place}/`) ?? mirror?.url ?? "",
    title: `${name} of ${place} was rewritten`,
    text: `A tag of the reference ${to === undefined ? "vanished" : "moved"}: ${name} named ${from} and ${change}, seen at ${minuteOf(at)}.`,
    at,
    data: { system, project, target: target.target, rewritten: { tag, from, to } },
  };
}

/** Returns a timestamp for people, to the minute. */
function minuteOf(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

function entryText({ node, at, status, code, after_seconds }: NodeTransition): string {
  const [now, before] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
  const lasted =
    after_seconds === undefined ? "" : `, after ${formatDuration(after_seconds * 1000)} ${before}`;
  return `${sentenceOf(code)} ${now} since ${minuteOf(at)}${lasted}. A mirror of ${node.target.place}: ${node.url}`;
}

function atomText(feed: Feed, scope: Scope, entries: readonly Entry[]): string {
  const { path, page, title, targets } = scope;
  return atomDocument({
    id: feedId(scope),
    title,
    updated: entries[0]?.at ?? oldestSince(targets),
    author: feed.site.title,
    alternate: siteAddress(feed, page),
    self: siteAddress(feed, `${path}.atom`),
    entries: entries.map(({ id, link, title: name, text, at }) => {
      return { id, title: name, link, at, text };
    }),
  });
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
    items: entries.map(({ id, link, title, text, at, data }) => {
      return { id, url: link, title, content_text: text, date_published: at, _mirrorfeed: data };
    }),
  };
}

/** Returns the time of the oldest status of the targets, or 1970 if no node was ever observed. */
function oldestSince(targets: readonly Target[]): string {
  const known = nodesOf(targets).flatMap(({ since }) => since ?? []);
  return known.reduce((oldest, since) => (since < oldest ? since : oldest), known[0] ?? isoTimestamp(0));
}

/** Returns the URL of a path of the site, or undefined if the site's URL is unknown. */
function siteAddress({ url }: Feed, path: string): string | undefined {
  return url === undefined ? undefined : `${url}/${path}`;
}

/** Returns the URN of a name: a UUID from its hash (RFC 9562, section 5.8), always the same for the same name. */
function nameUuid(name: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const uuid = digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return `urn:uuid:${uuid}`;
}
