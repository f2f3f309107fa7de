import { parseUrl } from "../base/text/url.ts";
import { type CaseResult, describeReply } from "./check-answer.ts";
import type { Coverage } from "./check-feed.ts";
import type { VerifyReply, VerifyResponse } from "./client.ts";
import { pageReferences, type Reference, stylesheetReferences, type Use } from "./references.ts";
import type { Send } from "./requests.ts";

/** The cases of the pages of a site, and how many of the pages and of the files that they load or link to were checked. */
export interface Crawl {
  readonly cases: readonly CaseResult[];
  readonly pages: Coverage;
  readonly files: Coverage;
}

/** How many pages are checked, and how many other files. */
const maxPages = 200;
const maxFiles = 400;
const maxHops = 2;
const maxText = 4 * 1024 * 1024;
/** How many references of a page or a stylesheet are followed. */
const maxReferences = 1000;

/** A URL without its fragment, how it is used, and the page that names it. */
interface Item {
  readonly url: URL;
  readonly use: Use;
  readonly by: string;
}

/**
 * Checks the status page of a site, all that it loads, and the pages that it links to on its origin. Pages outside the
 * site are requested but not followed. A site without a page has no case, unless it has the report that pages show.
 */
export async function crawlPages(site: URL, send: Send): Promise<Crawl> {
  const known = new Map<string, Item>();
  const cases: CaseResult[] = [];
  const checked = { pages: 0, files: 0 };
  let items: Item[] = [{ url: site, use: "page", by: "" }];
  while (items.length > 0) {
    const level = items.filter((item) => {
      known.set(item.url.href, item);
      const kind = kindOf(item, site);
      if (checked[kind] >= (kind === "pages" ? maxPages : maxFiles)) return false;
      checked[kind] += 1;
      return true;
    });
    const found = await Promise.all(level.map((item) => visit(item, site, send)));
    const isMissing = cases.length === 0 && found[0]?.isMissing === true;
    if (isMissing && !(await hasReport(site, send))) return nothing;
    cases.push(...found.flatMap(({ result }) => result ?? []));
    const named = new Map<string, Item>();
    for (const item of found.flatMap(({ items: more }) => more)) {
      const { href } = item.url;
      if (!known.has(href) && !named.has(href)) named.set(href, item);
    }
    items = [...named.values()];
  }
  const all = [...known.values()].map((item) => kindOf(item, site));
  const of = (kind: "pages" | "files"): number => all.filter((one) => one === kind).length;
  return {
    cases,
    pages: { checked: checked.pages, of: of("pages") },
    files: { checked: checked.files, of: of("files") },
  };
}

const nothing: Crawl = { cases: [], pages: { checked: 0, of: 0 }, files: { checked: 0, of: 0 } };

async function hasReport({ pathname }: URL, send: Send): Promise<boolean> {
  const reply = await send({ method: "GET", path: `${pathname}v1/report/`, from: "origin" });
  return reply?.kind === "answer" && reply.status === 200;
}

interface Found {
  readonly result?: CaseResult;
  readonly items: readonly Item[];
  /** Whether the server answers that nothing is there. */
  readonly isMissing?: boolean;
}

async function visit(item: Item, site: URL, send: Send): Promise<Found> {
  const { url, reply } = await follow(item.url, send);
  if (reply === undefined) return { items: [] };
  const path = shownPath(item.url, site);
  const wanted = typeOf(item, site);
  const ok = reply.kind === "answer" && reply.status === 200 && reply.whole && wanted.isRight(reply);
  const rule = item.by === "" ? "There is a status page." : `${item.by} ${verbs[item.use]} this.`;
  const expected = `200, ${wanted.words}`;
  const result = { method: "GET", path, rule, expected, actual: describeReply(reply), ok };
  const isMissing = reply.kind === "answer" && reply.status === 404;
  if (!ok || !url.href.startsWith(site.href)) return { result, items: [], isMissing };
  return { result, items: itemsIn(url, reply, item, site) };
}

/** Returns the last answer after redirects on the origin, and its URL. */
async function follow(from: URL, send: Send): Promise<{ url: URL; reply: VerifyReply | undefined }> {
  let url = from;
  for (let hop = 0; ; hop += 1) {
    const reply = await send({ method: "GET", path: url.pathname + url.search, from: "origin" });
    if (reply?.kind !== "answer" || ![301, 302, 303, 307, 308].includes(reply.status)) return { url, reply };
    const next = parseUrl(reply.headers["location"] ?? "", url.href);
    if (next === undefined || next.origin !== url.origin || hop >= maxHops) return { url, reply };
    url = next;
  }
}

/** Returns the URLs on the origin of the site that a page or a stylesheet names. */
function itemsIn(url: URL, { headers, body }: VerifyResponse, { use }: Item, site: URL): Item[] {
  const isStylesheet = use === "stylesheet";
  if (!isStylesheet && !isHtml({ headers })) return [];
  const text = body.toString("utf8", 0, maxText);
  const references = isStylesheet ? stylesheetReferences(text) : pageReferences(text);
  return references.slice(0, maxReferences).flatMap((reference) => itemOf(reference, url, site));
}

function itemOf({ use, href }: Reference, base: URL, site: URL): Item[] {
  const url = parseUrl(href, base.href);
  if (url?.origin !== site.origin) return [];
  // Of a static file the query is for its script alone.
  [url.hash, url.search] = ["", ""];
  return [{ url, use, by: shownPath(base, site) }];
}

const verbs: Readonly<Record<Use, string>> = {
  stylesheet: "loads",
  script: "loads",
  image: "loads",
  page: "fetches",
  link: "links to",
};

/** The type that an answer must have, in words and as a check. */
interface Wanted {
  readonly words: string;
  readonly isRight: (answer: Pick<VerifyResponse, "headers">) => boolean;
}

function typed(words: string, pattern: RegExp): Wanted {
  return { words, isRight: ({ headers }) => pattern.test(headers["content-type"] ?? "") };
}

const html = typed("text/html", /^text\/html\b/i);
const json = typed("JSON", /^application\/(?:[\w.-]+\+)?json\b/i);
const anything: Wanted = { words: "any type", isRight: () => true };
const isHtml = html.isRight;

const byUse: Partial<Record<Use, Wanted>> = {
  stylesheet: typed("text/css", /^text\/css\b/i),
  script: typed("JavaScript", /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i),
  image: typed("a picture", /^image\//i),
  page: html,
};

const byEnding: Readonly<Record<string, Wanted>> = {
  atom: typed("XML", /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i),
  html,
  json,
  svg: typed("image/svg+xml", /^image\/svg\+xml\b/i),
  txt: typed("text/plain", /^text\/plain\b/i),
};

function typeOf({ url, use }: Pick<Item, "url" | "use">, site: URL): Wanted {
  if (byUse[use] !== undefined) return byUse[use];
  const ending = /\.(\w+)$/.exec(url.pathname)?.[1];
  if (ending !== undefined) return byEnding[ending.toLowerCase()] ?? anything;
  return isDocument(url, site) ? json : html;
}

/** Returns "pages" if the path is one of HTML, else "files". */
function kindOf({ url, use }: Item, site: URL): "pages" | "files" {
  const isFolder = /(?:\/|\.html|\/[^/.]+)$/.test(url.pathname) && !isDocument(url, site);
  return use === "page" || (use === "link" && isFolder) ? "pages" : "files";
}

function isDocument(url: URL, site: URL): boolean {
  return url.href.startsWith(`${site.href}v1/`);
}

/** Returns a path below the site, or the whole URL outside it. */
function shownPath(url: URL, site: URL): string {
  return url.href.startsWith(site.href) ? `/${url.href.slice(site.href.length)}` : url.href;
}
