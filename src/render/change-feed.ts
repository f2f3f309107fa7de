import { createHash } from "node:crypto";
import { jsonText } from "../hosts/contract.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { formatDuration } from "../text/duration.ts";
import type { JsonFeed } from "./change-feed-schema.ts";
import { type Feed, nodesOf, type Target, targetsOf } from "../model/feed.ts";
import { isoTimestamp } from "../model/timestamp.ts";
import { newestTransitions, type NodeTransition } from "../model/transitions.ts";
import { atomDocument } from "./atom.ts";

/** How many entries a feed has at most: the begin and the end of an outage of fifty mirrors. */
export const entriesShown = 100;

/** What one pair of documents is of: all systems, or one project of one. */
interface Scope {
  /** The path of the documents, without their ending. */
  readonly path: string;
  /** The path of the page that shows the same. */
  readonly page: string;
  readonly title: string;
  readonly targets: readonly Target[];
}

interface Entry {
  readonly id: string;
  readonly link: string;
  readonly title: string;
  readonly text: string;
  readonly transition: NodeTransition;
}

/**
 * The feeds of transitions, one of all and one of each project, as Atom (RFC 4287) and as JSON Feed 1.1. An entry is
 * never written anew, and nothing in a feed is of a single run: it changes with a transition.
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
    const entries = (): Entry[] =>
      newestTransitions(scope.targets, entriesShown).map((transition) => entryOf(feed, transition));
    return [
      new LazyFile(`${scope.path}.atom`, () => atomText(feed, scope, entries())),
      new LazyFile(`${scope.path}.json`, () => jsonText(jsonFeed(feed, scope, entries()))),
    ];
  });
}

function entryOf(feed: Feed, transition: NodeTransition): Entry {
  const { node, at, status, code } = transition;
  return {
    id: nameUuid(["transition", node.id, at, status]),
    // A reader wants a link that is whole, and without the url of the site the mirror's is the only one.
    link: siteAddress(feed, `status/${node.target.place}/`) ?? node.url,
    title: status === 1 ? `${node.name} is online` : `${node.name} is offline (${code})`,
    text: entryText(transition),
    transition,
  };
}

function entryText({ node, at, status, code, after_seconds }: NodeTransition): string {
  const [now, before] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
  const lasted =
    after_seconds === undefined ? "" : `, after ${formatDuration(after_seconds * 1000)} ${before}`;
  const since = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return `${sentenceOf(code)} ${now} since ${since}${lasted}. A mirror of ${node.target.place}: ${node.url}`;
}

function atomText(feed: Feed, scope: Scope, entries: readonly Entry[]): string {
  const { path, page, title, targets } = scope;
  return atomDocument({
    id: feedId(scope),
    title,
    updated: entries[0]?.transition.at ?? oldestSince(targets),
    author: feed.site.title,
    alternate: siteAddress(feed, page),
    self: siteAddress(feed, `${path}.atom`),
    entries: entries.map(({ id, link, title: name, text, transition: { at } }) => {
      return { id, title: name, link, at, text };
    }),
  });
}

/**
 * Returns the id of a feed, which stays the same wherever the site is and whatever its title is: it is made from the
 * path of the feed and from its first node, the one with the lowest id.
 */
function feedId({ path, targets }: Scope): string {
  const [first, ...others] = nodesOf(targets);
  const lowest = others.reduce((low, node) => (low === undefined || node.id < low.id ? node : low), first);
  return nameUuid(["feed", path, lowest?.url ?? ""]);
}

/** JSON Feed 1.1. */
function jsonFeed(feed: Feed, { path, page, title }: Scope, entries: readonly Entry[]): JsonFeed {
  return {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: siteAddress(feed, page),
    feed_url: siteAddress(feed, `${path}.json`),
    authors: [{ name: feed.site.title }],
    language: "en",
    items: entries.map(({ id, link, title, text, transition }) => {
      const { node, at, status, code, after_seconds } = transition;
      const { system, project, target } = node.target;
      return {
        id,
        url: link,
        title,
        content_text: text,
        date_published: at,
        _mirrorfeed: { system, project, target, id: node.id, status, code, after_seconds },
      };
    }),
  };
}

/** Where nothing changed yet: since when the first node is what it is, or 1970 where none was ever observed. */
function oldestSince(targets: readonly Target[]): string {
  const known = nodesOf(targets).flatMap(({ since }) => since ?? []);
  return known.reduce((oldest, since) => (since < oldest ? since : oldest), known[0] ?? isoTimestamp(0));
}

/** The address of a path of the site, or undefined where nobody said where the site is published. */
function siteAddress({ url }: Feed, path: string): string | undefined {
  return url === undefined ? undefined : `${url}/${path}`;
}

/** The same urn for the same name for ever: a UUID made by a hash (RFC 9562, section 5.8). */
function nameUuid(name: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const uuid = digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return `urn:uuid:${uuid}`;
}
