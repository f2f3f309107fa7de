import { parseUrl } from "../../core/base/text/url.ts";
import { reportRoot } from "../../core/contract/contract.ts";
import { type CaseResult, describeReply } from "./check-answer.ts";
import { headerOf, isOk, redirectOf, type Send, type VerifyReply } from "./requests.ts";

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
  const cases: CaseResult[] = [];
  const roots = ["/", `/${reportRoot}/`].map((path) => send({ method: "GET", path }));
  if ((await Promise.all(roots)).every(({ status }) => status === 404))
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
  const reply = await follow(item.url, send);
  const extension = extensionOf(item.url, site);
  const ok = isOk(reply) && (typesByExtension[extension] ?? /^/).test(headerOf(reply, "Content-Type"));
  const result: CaseResult = {
    method: "GET",
    path: shownPath(item.url, site),
    rule: item.by === undefined ? "There is a status page." : `${item.by} refers to this.`,
    expected: `200, the type of .${extension} files`,
    actual: describeReply(reply),
    ok,
  };
  const isOwnPage = ok && extension === "html" && reply.url.href.startsWith(site.href);
  return { result, named: isOwnPage ? namedBy(reply, site) : [] };
}

/** Follows redirects on the origin, and returns the last answer. */
async function follow(url: URL, send: Send, hops = 0): Promise<VerifyReply> {
  const reply = await send({ method: "GET", path: url.pathname + url.search, from: "origin" });
  const next = redirectOf(reply);
  return next?.origin === url.origin && hops < maxHops ? follow(next, send, hops + 1) : reply;
}

/** A tag's first link. No part of the pattern crosses a `<`, so matching takes linear time. */
const reference = /<[a-z][^<>]*?\s(?:href|src)=(?:"([^"<>]*)"|([^\s"<>]+))/gi;

/** Returns the URLs on the site's origin that a page loads or links to. */
function namedBy({ url: base, body }: VerifyReply, site: URL): Item[] {
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

/** The Content-Types of files, by extension. */
const typesByExtension: Partial<Record<string, RegExp>> = {
  ...{ html: /^text\/html\b/i, css: /^text\/css\b/i, txt: /^text\/plain\b/i },
  ...{ ico: /^image\//i, png: /^image\//i, svg: /^image\//i, webp: /^image\//i },
  atom: /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i,
  js: /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i,
  json: /^application\/(?:[\w.-]+\+)?json\b/i,
};

function extensionOf({ href, pathname }: URL, site: URL): string {
  const [, extension] = /\.(\w+)$/.exec(pathname.toLowerCase()) ?? [];
  return extension ?? (href.startsWith(`${site.href}v1/`) ? "json" : "html");
}

function shownPath(url: URL, site: URL): string {
  return url.href.startsWith(site.href) ? `/${url.href.slice(site.href.length)}` : url.href;
}
