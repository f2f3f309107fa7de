import { Option } from "@commander-js/extra-typings";
import type { CheckResult, FeedOptions, Fetch, PassedOver, PickResult, Reason } from "../../client/index.ts";
import { targetPattern, Unanswered, urlPattern } from "../../client/interface.ts";
import { type Answered, firstCurrent, isCurrent, newest } from "../../client/order.ts";
import { fieldsOf, get, maxBytes } from "../../client/request.ts";
import { parsePublicKeys } from "../../client/signature.ts";
import { InputError } from "../../base/errors.ts";
import { readText } from "../../base/files/read-text.ts";
import { userAgent } from "../../base/files/package.ts";
import { ProbeFailure } from "../../base/http/failure.ts";
import type { HttpResponse } from "../../base/http/response.ts";
import type { Transport } from "../../base/http/transport.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { closestName } from "../../base/text/name.ts";
import { quote } from "../../base/text/quote.ts";
import { parseDeploymentUrl } from "../../verify/deployment-url.ts";
import { durationParser, parseTimeout } from "../command.ts";
import { cacheFolder, loadSeen, openFeedCache, responseOf, seenFile, storeDocuments } from "./cache.ts";

export const parseAge = durationParser(1, Infinity, "an age", "write it as 90s, 30m, 1h or 2d");

export const maxAge = ["--max-age <time>", "how old the feed may be, such as 1h", parseAge] as const;

export const feed = [
  "--feed <url>",
  "another feed, for when the ones before it can't be used; may be repeated",
  parseFeeds,
] as const;

export const publicKey = [
  "--public-key <key>",
  "require a signature made with this minisign key: its file, or its line that begins with RW",
] as const;

/** Returns the text of a public key that --public-key names or is. Throws InputError if it is none. */
export async function loadPublicKey(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const remedy = "name the file mirrorfeed.pub with --public-key, or write its line that begins with RW";
  const isLine = /^RW[\w+/]{54}$/.test(given);
  const text = isLine ? given : await readText(given, 1024 * 1024, remedy);
  try {
    parsePublicKeys(text);
    return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputError(`${quote(given)} is not a minisign public key; ${remedy}.`);
  }
}

export const maxStale = [
  "--max-stale <time>",
  "if no feed is current, use the newest feed or cached answer until this long after it expired, such as 1d",
  parseAge,
] as const;

export function timeout(description: string) {
  return new Option("--timeout <time>", description).argParser(parseTimeout).default(5000, "5s");
}

export const exitCodes = {
  2: "wrong usage, or a target that the feed does not have (the message says which)",
  4: "unknown: the feed cannot be read, or has expired",
};

/** Returns the URL of a feed, with a slash at the end. Throws InputError if the text is not such a URL. */
export function parseFeedUrl(text: string): string {
  const { href } = parseDeploymentUrl(text);
  if (urlPattern.test(href)) return href;
  throw new InputError(
    `${quote(text)} contains characters that a URL cannot; write it as https://status.example.org/.`,
  );
}

/** Returns the feeds so far with one more. */
export function parseFeeds(text: string, before: readonly string[] = []): string[] {
  return [...before, parseFeedUrl(text)];
}

export function parseTargetPath(text: string): string {
  if (targetPattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not a target; write it as system/project/target, each of letters, digits or . _ ~ -.`,
  );
}

export interface FeedResult<Result> {
  /** The feed that the result comes from. */
  readonly feed: string;
  readonly result: Result;
  /** Why no feed answered, if the result is a cached answer, or that it has expired. */
  readonly insteadOf?: Reason | undefined;
  /** Which of several feeds were not used. */
  readonly passedOver: readonly PassedOver[];
  /** The file that binds several feeds to the site that was seen first. */
  readonly seenFile?: string | undefined;
  /** A target of the feed with a name that is nearly the given one, if that is unknown. */
  readonly meant?: string | undefined;
}

/** The reasons that let a cached answer replace a new one: the feed is not available, or something else answers. */
const away: ReadonlySet<Reason> = new Set([
  "no_answer",
  "timeout",
  "redirect",
  "too_large",
  "http_status",
  "not_contract",
  "expired",
  "other_site",
  "older",
  "unsigned",
  "bad_signature",
  "bad_digest",
]);

interface Question {
  /** The URLs of the feeds, in the order in which they are asked. */
  readonly feeds: readonly string[];
  readonly path: string;
  readonly maxStaleMs?: number | undefined;
  /** Of a feed that must be signed. */
  readonly publicKey?: string | undefined;
}

/**
 * Queries the first current one of several feeds through the cache. If none is current, the newest cached answer is used
 * until it expires, or for as long as `maxStaleMs` allows. Rejects with the reason of the interrupt, or with an internal
 * error.
 */
export async function queryFeeds<Result extends CheckResult | PickResult>(
  command: string,
  { feeds, path, maxStaleMs = 0, publicKey }: Question,
  query: (feed: string, means: FeedOptions) => Promise<Result>,
  { environment, interrupt, now }: CommandContext,
): Promise<FeedResult<Result>> {
  const { openTransport } = await import("../../base/http/environment.ts");
  // The transport of the prober. The user names the feed, so any address is allowed.
  // One byte more than the client reads, so that the client reports a too large answer.
  const options = { isAllowed: () => true, userAgent: userAgent({ command }), maxBytes: maxBytes + 1 };
  const transport = await openTransport(options, [], environment);
  const folder = cacheFolder(environment);
  const isOne = feeds.length === 1;
  // Without a key, the caches of a single feed's host may serve an older one for some minutes.
  const isBound = folder !== undefined && (!isOne || publicKey !== undefined);
  const file = isBound ? seenFile(folder, feeds, publicKey) : undefined;
  const seen = file === undefined ? undefined : await loadSeen(file);
  // A single feed may move to another site.
  const site_url = isOne ? undefined : seen?.site_url;
  const means = { now, signal: interrupt, maxStaleMs, publicKey };
  const ask = async (feed: string): Promise<Result> => {
    const cache = openFeedCache(folder, fetchBy(transport), now);
    const previous = { site_url, generated_at: seen?.generated_at };
    const result = await query(feed, { ...means, previous, fetch: cache.fetch });
    if (result.reason === "no_answer" && !(result.cause instanceof ProbeFailure)) throw result.cause;
    if (isAnswer(result) && !result.stale) await cache.keep(result.expires_at);
    return result;
  };
  const askCache = async (feed: string): Promise<Answered<Result>> => {
    const { last } = openFeedCache(folder, fetchBy(transport), () => now() - maxStaleMs);
    return { url: feed, result: await query(feed, { ...means, previous: { site_url }, fetch: last }) };
  };
  try {
    const asked = await firstCurrent(feeds, ask);
    const { url: feed, result, passedOver = [] } = asked;
    const known = { passedOver, seenFile: file };
    if (!isCurrent(result)) {
      const insteadOf = result.stale ? "expired" : (result.reason ?? "http_status");
      const isAway = [insteadOf, ...passedOver.map(({ reason }) => reason)].some((one) => away.has(one));
      const cached = isAway ? await Promise.all(feeds.map(askCache)) : [];
      const best = newest([asked, ...cached]);
      return best ? { feed: best.url, result: best.result, insteadOf, ...known } : { feed, result, ...known };
    }
    if (folder !== undefined && file !== undefined && result.generated_at !== undefined) {
      const { generated_at } = result;
      const document = {
        schema: 1 as const,
        feeds: [...feeds],
        site_url: site_url ?? result.site_url,
        generated_at,
      };
      await storeDocuments(folder, [{ file, document }]);
    }
    if (result.outcome !== "not_found") return { feed, result, ...known };
    const meant = await nearestTarget(feed, path, fetchBy(transport), interrupt);
    return { feed, result, ...known, meant };
  } finally {
    transport.close();
  }
}

/** How long a suggestion may take, in milliseconds. */
const suggestionMs = 2000;

const nameLists = ["systems", "projects", "targets"] as const;

/** Returns the path of a target with its first unknown name replaced by the one that it is nearly. */
async function nearestTarget(
  site: string,
  path: string,
  fetch: Fetch<Response>,
  interrupt: AbortSignal,
): Promise<string | undefined> {
  const ending = AbortSignal.timeout(suggestionMs);
  const signal = AbortSignal.any([interrupt, ending]);
  const names = path.split("/");
  for (const [index, list] of nameLists.entries()) {
    const above = names.slice(0, index).map((name) => `${name}/`);
    const answer = await get(`${site}v1/network/${above.join("")}`, fetch, signal).catch((error: unknown) => {
      if (error !== ending.reason && !(error instanceof Unanswered)) throw error;
    });
    const listed = [answer?.document[list]].flat();
    const known = listed.flatMap((one) => {
      const named = typeof one === "string" ? one : fieldsOf(one)[list.slice(0, -1)];
      return typeof named === "string" && targetPattern.test(`a/b/${named}`) ? [named] : [];
    });
    const name = names[index] ?? "";
    if (known.includes(name)) continue;
    const meant = closestName(name, known);
    return meant && [...names.slice(0, index), meant, ...names.slice(index + 1)].join("/");
  }
  return undefined;
}

function isAnswer(
  result: CheckResult | PickResult,
): result is Extract<CheckResult | PickResult, { outcome: "reachable" | "unreachable" }> {
  return result.outcome === "reachable" || result.outcome === "unreachable";
}

/** Returns `fetch` for the client. It rejects with ProbeFailure, and with the reason of the signal. */
function fetchBy(transport: Transport): Fetch<Response> {
  return async (url, { headers: asked, signal }) => {
    const etag = new Headers(asked).get("if-none-match");
    const condition = etag === null ? [] : ["if-none-match", etag];
    const { status, headers, body } = await transport.request(new URL(url), wholeOrTooLarge, signal, {
      headers: condition,
    });
    if (status < 200 || status > 599) throw new ProbeFailure("not_http");
    const one = (name: string): string | undefined => [headers[name]].flat()[0];
    return responseOf(status, new Uint8Array(body), { etag: one("etag"), location: one("location") });
  };
}

function wholeOrTooLarge(answer: HttpResponse): HttpResponse | undefined {
  return answer.complete || answer.body.length > maxBytes ? answer : undefined;
}
