import { parseUrl } from "../../core/base/text/url.ts";
import { reportRoot } from "../../core/contract/contract.ts";
import { type CaseResult, describeReply } from "./check-answer.ts";
import type { Coverage } from "./check-feed.ts";
import { pageReferences, stylesheetReferences, type Use } from "./references.ts";
import type { Send, VerifyReply, VerifyResponse } from "./requests.ts";

const maxPages = 200;
const maxFiles = 400;
const maxHops = 2;
const maxText = 4 * 1024 * 1024;
/** How many references of a page or stylesheet to follow. */
const maxReferences = 1000;

/** A URL without its fragment, how it is used, and the page that refers to it. */
interface Item {
  readonly url: URL;
  readonly use: Use;
  readonly by: string;
}

/**
 * Checks a site's status page, and everything on its origin that the site's pages load or link to. Pages outside the
 * site are requested, but their links are not followed. Returns no cases if the site has neither a status page nor the
 * report that a status page shows.
 */
export async function crawlPages(
  site: URL,
  send: Send,
): Promise<{ readonly cases: readonly CaseResult[]; readonly pages: Coverage; readonly files: Coverage }> {
  const pages = { checked: 0, of: 0 };
  const files = { checked: 0, of: 0 };
  const known = new Set([site.href]);
  const cases: CaseResult[] = [];
  let items: readonly Item[] = [{ url: site, use: "page", by: "" }];
  while (items.length > 0) {
    const level = items.filter((item) => {
      const [count, max] = isPage(item, site) ? [pages, maxPages] : [files, maxFiles];
      count.of += 1;
      if (count.checked >= max) return false;
      count.checked += 1;
      return true;
    });
    const visits = await Promise.all(level.map((item) => visit(item, site, send)));
    cases.push(...visits.flatMap(({ result }) => result ?? []));
    items = visits
      .flatMap(({ named }) => named)
      .filter(({ url }) => {
        const isNew = !known.has(url.href);
        known.add(url.href);
        return isNew;
      });
  }
  const none = { checked: 0, of: 0 };
  return cases.length === 0 ? { cases, pages: none, files: none } : { cases, pages, files };
}

/** Requests and checks a page or file. Also returns the URLs in it that are to be followed. */
async function visit(
  item: Item,
  site: URL,
  send: Send,
): Promise<{ readonly result?: CaseResult; readonly named: readonly Item[] }> {
  const { url, reply } = await follow(item.url, send);
  if (reply === undefined) return { named: [] };
  const isRoot = item.by === "";
  const status = reply.kind === "answer" ? reply.status : undefined;
  if (isRoot && status === 404 && !(await hasReport(site, send))) return { named: [] };
  const type = typeOf(item, site);
  const ok = reply.kind === "answer" && status === 200 && reply.whole && hasType(reply, type);
  const result = {
    method: "GET",
    path: shownPath(item.url, site),
    rule: isRoot ? "There is a status page." : `${item.by} ${verbs[item.use]} this.`,
    expected: `200, ${type}`,
    actual: describeReply(reply),
    ok,
  };
  return { result, named: ok && url.href.startsWith(site.href) ? namedBy(url, reply, item, site) : [] };
}

async function hasReport({ pathname }: URL, send: Send): Promise<boolean> {
  const reply = await send({ method: "GET", path: `${pathname}${reportRoot}/`, from: "origin" });
  return reply?.kind === "answer" && reply.status === 200;
}

/** Follows redirects on the origin, and returns the last answer and its URL. */
async function follow(from: URL, send: Send): Promise<{ url: URL; reply: VerifyReply | undefined }> {
  let url = from;
  for (let hop = 0; ; hop += 1) {
    const reply = await send({ method: "GET", path: url.pathname + url.search, from: "origin" });
    if (reply?.kind !== "answer" || ![301, 302, 303, 307, 308].includes(reply.status)) return { url, reply };
    const next = parseUrl(reply.headers["location"] ?? "", url.href);
    if (next?.origin !== url.origin || hop >= maxHops) return { url, reply };
    url = next;
  }
}

/** Returns the URLs on the site's origin that a page or stylesheet refers to. */
function namedBy(base: URL, reply: VerifyResponse, { use }: Item, site: URL): Item[] {
  const isStylesheet = use === "stylesheet";
  if (!isStylesheet && !hasType(reply, "text/html")) return [];
  const text = reply.body.toString("utf8", 0, maxText);
  const references = isStylesheet ? stylesheetReferences(text) : pageReferences(text);
  return references.slice(0, maxReferences).flatMap((reference) => {
    const url = parseUrl(reference.href, base.href);
    if (url?.origin !== site.origin) return [];
    // Drop the query as well as the fragment: static sites ignore queries, and only scripts read them.
    [url.hash, url.search] = ["", ""];
    return [{ url, use: reference.use, by: shownPath(base, site) }];
  });
}

const verbs = { stylesheet: "loads", script: "loads", image: "loads", page: "fetches", link: "links to" };

const mediaTypes = {
  "text/html": /^text\/html\b/i,
  "text/css": /^text\/css\b/i,
  "text/plain": /^text\/plain\b/i,
  "image/svg+xml": /^image\/svg\+xml\b/i,
  JSON: /^application\/(?:[\w.-]+\+)?json\b/i,
  XML: /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i,
  JavaScript: /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i,
  "a picture": /^image\//i,
  "any type": /^/,
};

type MediaType = keyof typeof mediaTypes;

/** The types that files should have, by their use or their extension. The use takes precedence. */
const expectedTypes: Partial<Record<string, MediaType>> = {
  ...{ stylesheet: "text/css", script: "JavaScript", image: "a picture", page: "text/html" },
  ...{ ".atom": "XML", ".html": "text/html", ".json": "JSON", ".svg": "image/svg+xml", ".txt": "text/plain" },
};

function typeOf({ url, use }: Item, site: URL): MediaType {
  const [ending] = /\.\w+$/.exec(url.pathname.toLowerCase()) ?? [];
  const withoutEnding = isDocument(url, site) ? "JSON" : "text/html";
  const typeOfFile = ending === undefined ? withoutEnding : (expectedTypes[ending] ?? "any type");
  return expectedTypes[use] ?? typeOfFile;
}

function hasType({ headers }: VerifyResponse, type: MediaType): boolean {
  return mediaTypes[type].test(headers["content-type"] ?? "");
}

function isPage({ url, use }: Item, site: URL): boolean {
  const isFolder = /(?:\/|\.html|\/[^/.]+)$/.test(url.pathname) && !isDocument(url, site);
  return use === "page" || (use === "link" && isFolder);
}

function isDocument(url: URL, site: URL): boolean {
  return url.href.startsWith(`${site.href}v1/`);
}

function shownPath(url: URL, site: URL): string {
  return url.href.startsWith(site.href) ? `/${url.href.slice(site.href.length)}` : url.href;
}
