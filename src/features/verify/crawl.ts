import { parseUrl } from "../../core/base/text/url.ts";
import { reportRoot } from "../../core/contract/contract.ts";
import { type CaseResult, describeReply, isOk } from "./check-answer.ts";
import type { Send, VerifyReply } from "./requests.ts";

const maxPages = 600;
/** How many URLs to remember and count. */
const maxKnown = 10_000;
/** How many pages to visit at a time. */
const batchSize = 8;
const maxHops = 2;
const maxText = 4 * 1024 * 1024;
/** How many references of a page to follow. */
const maxReferences = 1000;

/** A URL without query and fragment, and the page that refers to it (for the first page: none). */
interface Item {
  readonly url: URL;
  readonly by?: string;
}

/**
 * Checks a site's status page, and everything on its origin that the site's pages load or link to. Pages outside the
 * site are requested, but their links are not followed. Returns no cases if the site has neither a status page nor the
 * report that a status page shows.
 */
export async function crawlPages(site: URL, send: Send) {
  const isMissing = async (path: string): Promise<boolean> => {
    const { status } = await send({ method: "GET", path });
    return status === 404;
  };
  const cases: CaseResult[] = [];
  if ((await isMissing("/")) && (await isMissing(`/${reportRoot}/`)))
    return { cases, pages: { checked: 0, of: 0 } };
  const known = new Set([site.href]);
  const items: Item[] = [{ url: site }];
  while (cases.length < items.length) {
    const batch = items.slice(cases.length, cases.length + batchSize);
    const visits = await Promise.all(batch.map((item) => visit(item, site, send)));
    cases.push(...visits.map(({ result }) => result));
    for (const item of visits.flatMap(({ named }) => named)) {
      if (known.has(item.url.href) || known.size >= maxKnown) continue;
      known.add(item.url.href);
      if (items.length < maxPages) items.push(item);
    }
  }
  return { cases, pages: { checked: cases.length, of: known.size } };
}

/** Requests and checks a page or file. Also returns the URLs in it that are to be followed. */
async function visit(item: Item, site: URL, send: Send) {
  const { url, reply } = await follow(item.url, send);
  const type = typeOf(item.url, site);
  const [name, pattern] = type;
  const ok = isOk(reply) && pattern.test(reply.headers["content-type"] ?? "");
  const result: CaseResult = {
    method: "GET",
    path: shownPath(item.url, site),
    rule: item.by === undefined ? "There is a status page." : `${item.by} refers to this.`,
    expected: `200, ${name}`,
    actual: describeReply(reply),
    ok,
  };
  const isOwnPage = ok && type === page && url.href.startsWith(site.href);
  return { result, named: isOwnPage ? namedBy(url, reply, site) : [] };
}

/** Follows redirects on the origin, and returns the last answer and its URL. */
async function follow(from: URL, send: Send): Promise<{ url: URL; reply: VerifyReply }> {
  let url = from;
  for (let hop = 0; ; hop += 1) {
    const reply = await send({ method: "GET", path: url.pathname + url.search, from: "origin" });
    if (![301, 302, 303, 307, 308].includes(reply.status)) return { url, reply };
    const next = parseUrl(reply.headers["location"] ?? "", url.href);
    if (next?.origin !== url.origin || hop >= maxHops) return { url, reply };
    url = next;
  }
}

/** A tag's first link. No part of the pattern crosses a `<`, so matching takes linear time. */
const reference = /<[a-z][^<>]*?\s(?:href|src)=(?:"([^"<>]*)"|([^\s"<>]+))/gi;

/** Returns the URLs on the site's origin that a page loads or links to. */
function namedBy(base: URL, { body }: VerifyReply, site: URL): Item[] {
  const items: Item[] = [];
  for (const [, quoted, bare = ""] of body.toString("utf8", 0, maxText).matchAll(reference)) {
    if (items.length === maxReferences) break;
    const url = parseUrl(quoted ?? bare, base.href);
    if (url?.origin !== site.origin) continue;
    // Drop the query as well as the fragment: static sites ignore queries, and only scripts read them.
    [url.hash, url.search] = ["", ""];
    items.push({ url, by: shownPath(base, site) });
  }
  return items;
}

/** What a URL should answer with: a media type or its name, and the pattern of its Content-Type. */
type MediaType = readonly [name: string, pattern: RegExp];

const page: MediaType = ["text/html", /^text\/html\b/i];
const json: MediaType = ["JSON", /^application\/(?:[\w.-]+\+)?json\b/i];
const picture: MediaType = ["a picture", /^image\//i];

const typesByExtension: Partial<Record<string, MediaType>> = {
  ...{ html: page, json, ico: picture, png: picture, svg: picture, webp: picture },
  atom: ["XML", /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i],
  css: ["text/css", /^text\/css\b/i],
  js: ["JavaScript", /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i],
  txt: ["text/plain", /^text\/plain\b/i],
};

function typeOf({ href, pathname }: URL, site: URL): MediaType {
  const [, extension] = /\.(\w+)$/.exec(pathname.toLowerCase()) ?? [];
  if (extension !== undefined) return typesByExtension[extension] ?? ["any type", /^/];
  return href.startsWith(`${site.href}v1/`) ? json : page;
}

function shownPath(url: URL, site: URL): string {
  return url.href.startsWith(site.href) ? `/${url.href.slice(site.href.length)}` : url.href;
}
