import { createHash } from "node:crypto";
import { Feed } from "feed";
import type { Config } from "../config/schema.ts";
import { jsonText } from "../contract.ts";
import { codeSentences } from "../sentences.ts";
import type { SiteFile } from "../site-file.ts";
import { spanText } from "../span.ts";
import type { JsonFeed } from "./feed-schema.ts";
import { momentText } from "./moment.ts";
import type { Report, ReportedSystem } from "./report.ts";
import { newestTransitions, type NodeTransition } from "./transitions.ts";

/** How many entries a feed has at most: the begin and the end of an outage of fifty mirrors. */
export const entriesShown = 100;

/** What one pair of documents is of: all systems, or one project of one. */
interface Scope {
  /** The path of the documents, without their ending. */
  readonly path: string;
  /** The path of the page that shows the same. */
  readonly page: string;
  readonly title: string;
  readonly systems: readonly ReportedSystem[];
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
export function renderFeeds(config: Config, { systems }: Report): SiteFile[] {
  const { title } = config.site;
  const scopes: Scope[] = [
    { path: "feed", page: "", title, systems },
    ...systems.flatMap(({ system, projects }) =>
      projects.map((one) => ({
        path: `feed/${system}/${one.project}`,
        page: `status/${system}/${one.project}/`,
        title: `${title}: ${system}/${one.project}`,
        systems: [{ system, projects: [one] }],
      })),
    ),
  ];
  return scopes.flatMap((scope) => {
    const transitions = newestTransitions(scope.systems, entriesShown);
    const entries = transitions.map((transition) => entryOf(config, transition));
    return [
      { path: `${scope.path}.atom`, content: atomText(config, scope, entries) },
      { path: `${scope.path}.json`, content: jsonText(jsonFeed(config, scope, entries)) },
    ];
  });
}

function entryOf(config: Config, transition: NodeTransition): Entry {
  const { system, project, target, node, at, status, code } = transition;
  return {
    id: nameUuid(["transition", node.id, at, status]),
    // A reader wants a link that is whole, and without the url of the site the mirror's is the only one.
    link: siteAddress(config, `status/${system}/${project}/${target}/`) ?? node.url,
    title: status === 1 ? `${node.name} is online` : `${node.name} is offline (${code})`,
    text: entryText(transition),
    transition,
  };
}

function entryText({
  system,
  project,
  target,
  node,
  at,
  status,
  code,
  after_seconds,
}: NodeTransition): string {
  const [now, before] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
  const lasted = after_seconds === undefined ? "" : `, after ${spanText(after_seconds * 1000)} ${before}`;
  const since = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return `${codeSentences[code]} ${now} since ${since}${lasted}. A mirror of ${system}/${project}/${target}: ${node.url}`;
}

function atomText(config: Config, { path, page, title, systems }: Scope, entries: readonly Entry[]): string {
  const self = siteAddress(config, `${path}.atom`);
  const home = siteAddress(config, page);
  const feed = new Feed({
    id: self ?? nameUuid(["feed", title]),
    title: unread(title),
    updated: new Date(entries[0]?.transition.at ?? oldestSince(systems)),
    author: { name: unread(config.site.title) },
    generator: false,
    ...(self === undefined ? {} : { feed: self }),
    ...(home === undefined ? {} : { link: home }),
  });
  for (const { id, link, title, text, transition } of entries) {
    const date = new Date(transition.at);
    feed.addItem({ id, link, title: html(title), content: html(text), date, published: date });
  }
  return `${feed.atom1()}\n`;
}

/** JSON Feed 1.1, which the library does not write: it knows version 1. */
function jsonFeed(config: Config, { path, page, title }: Scope, entries: readonly Entry[]): JsonFeed {
  return {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: siteAddress(config, page),
    feed_url: siteAddress(config, `${path}.json`),
    authors: [{ name: config.site.title }],
    language: "en",
    items: entries.map(({ id, link, title, text, transition }) => {
      const { system, project, target, node, at, status, code, after_seconds } = transition;
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
function oldestSince(systems: readonly ReportedSystem[]): string {
  const known = systems.flatMap(({ projects }) =>
    projects.flatMap(({ targets }) =>
      targets.flatMap(({ history }) => history.network.flatMap(({ since }) => since ?? [])),
    ),
  );
  return known.reduce((oldest, since) => (since < oldest ? since : oldest), known[0] ?? momentText(0));
}

/** The address of a path of the site, or undefined where nobody said where the site is published. */
function siteAddress({ site }: Config, path: string): string | undefined {
  return site.url === undefined ? undefined : `${site.url.replace(/\/$/, "")}/${path}`;
}

/** The same urn for the same name for ever: a UUID made by a hash (RFC 9562, section 5.8). */
function nameUuid(name: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const uuid = digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return `urn:uuid:${uuid}`;
}

/** A text as HTML, as which the library writes the titles and contents of entries. */
function html(text: string): string {
  return unread(text).replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The library reads `&amp;` in a plain text as `&` before it escapes it: it gets a text of which it reads the same. */
function unread(text: string): string {
  return text.replaceAll("&", "&amp;");
}
