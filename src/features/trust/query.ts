import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { CheckResult, FeedOptions, Fetch, PickResult, Reason } from "../../client/index.ts";
import { maxBytes, targetPattern, urlPattern } from "../../client/request.ts";
import { firstCurrent, isCurrent, newest } from "../../client/read-feed.ts";
import { parsePublicKeys } from "../../client/signature.ts";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { userAgent } from "../../core/base/files/package.ts";
import { ProbeFailure } from "../../core/base/http/failure.ts";
import type { HttpResponse } from "../../core/base/http/response.ts";
import type { Transport } from "../../core/base/http/transport.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import { parseDeploymentUrl } from "../../core/base/text/url.ts";
import { durationParser, type OptionsOf, parseTimeout } from "../../core/command/command.ts";
import { cacheFolder, openFeedCache, openMemory, responseOf } from "./cache.ts";

export const parseAge = durationParser(1, Infinity, "an age", "write it as 90s, 30m, 1h or 2d");

/** Adds the arguments and options of a command that queries feeds. `about` is the description of `--timeout`. */
export function addFeedOptions<Options extends OptionValues>(command: Command<[], Options>, about: string) {
  return command
    .argument("<url>", "the URL of the feed")
    .argument("<target>", "the target, as system/project/target")
    .option(
      "--feed <url>",
      "another feed, in case the earlier ones can't be used; may be repeated",
      parseFeeds,
    )
    .option("--max-age <time>", "the oldest feed to accept, such as 1h", parseAge)
    .option(
      "--max-stale <time>",
      "if no feed is current, use the newest feed or cached answer for this long after it expires, such as 1d",
      parseAge,
    )
    .option(
      "--public-key <key>",
      "require a signature by this minisign key: a public key file, or the line in it that begins with RW",
    )
    .option(
      "--site <url>",
      "the site that feeds must belong to (default with --public-key: the first feed's URL)",
      parseFeedUrl,
    )
    .addOption(new Option("--timeout <time>", about).argParser(parseTimeout).default(5000, "5s"));
}

/** Returns the lines of a public key, given as a file name or as the key's line. Throws InputError. */
export async function loadPublicKey(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const remedy = "give --public-key the file mirrorfeed.pub, or the line in it that begins with RW";
  const isLine = /^RW[\w+/]{54}$/.test(given);
  const text = isLine ? given : await readText(given, 1024 * 1024, remedy);
  try {
    parsePublicKeys(text);
    return text.match(/^RW.*/gm)?.sort().join("\n");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputError(`${quote(given)} is not a minisign public key; ${remedy}.`);
  }
}

export const exitCodes = {
  2: "wrong usage, or the feed has no such target",
  4: "unknown: the feed cannot be read, or has expired",
};

/** Returns the URL with a slash at the end, also from that of a document below it. Throws InputError. */
export function parseFeedUrl(text: string): string {
  const { href } = parseDeploymentUrl(text.replace(/\/v1\/(?:network|report)(?:\/.*)?$/, "/"));
  if (urlPattern.test(href)) return href;
  throw new InputError(
    `${quote(text)} contains characters that are not allowed in a URL; write it as https://status.example.org/.`,
  );
}

function parseFeeds(text: string, before: readonly string[] = []): string[] {
  return [...before, parseFeedUrl(text)];
}

export function parseTargetPath(text: string): string {
  const path = text.replace(/\/$/, "");
  if (targetPattern.test(path)) return path;
  throw new InputError(
    `${quote(text)} is not a target; write it as system/project/target, with letters, digits and . _ ~ - in each name.`,
  );
}

/**
 * A result, and the feed that it comes from. `instead_of` says why no current feed could be used. It is set if the result
 * is cached or expired.
 */
export type FeedResult<Result = CheckResult | PickResult> = Result & {
  readonly feed: string;
  readonly instead_of?: Reason;
};

/** With these reasons, the feed itself has answered, so a cached answer is no better. */
const conclusive: ReadonlySet<Reason> = new Set(["too_old", "ahead", "prober_offline", "no_report"]);

/** The options that both commands have. */
type FeedQuestion = OptionsOf<() => ReturnType<typeof addFeedOptions<{ json?: true }>>>;

/**
 * Queries feeds in order, through the cache, until one is current. If no feed is current, uses the newest cached
 * answer, unless it expired more than `maxStale` ago. Rejects with InputError, with the interrupt's reason, or with an
 * internal error.
 */
export async function queryFeeds<Result extends CheckResult | PickResult>(
  command: "check" | "pick",
  url: string,
  options: FeedQuestion,
  query: (feed: string, means: FeedOptions) => Promise<Result>,
  { environment, interrupt, now }: CommandContext,
): Promise<FeedResult<Result>> {
  const feeds = [parseFeedUrl(url), ...(options.feed ?? [])];
  const publicKey = await loadPublicKey(options.publicKey);
  const { maxAge: maxAgeMs, maxStale: maxStaleMs = 0, timeout: timeoutMs } = options;
  const { site = publicKey && feeds[0] } = options;
  const { openTransport } = await import("../../core/base/http/open-transport.ts");
  // Any address is allowed, because the user names the feed. The size limit is one byte above the client's, so that an
  // answer that is too large reaches the client, which then reports it.
  const limits = { isAllowed: () => true, userAgent: userAgent({ command }), maxBytes: maxBytes + 1 };
  const transport = await openTransport(limits, [], environment);
  const folder = cacheFolder(environment);
  // Only signed data is remembered. Unsigned data could claim any site and time.
  const memory = folder && publicKey && site ? openMemory(folder, publicKey, site) : undefined;
  const previous = { generated_at: await memory?.load() };
  const means = { now, signal: interrupt, maxAgeMs, maxStaleMs, timeoutMs, publicKey, site, previous };
  const ask = async (feed: string): Promise<FeedResult<Result>> => {
    const cache = openFeedCache(folder, publicKey, fetchBy(transport), now);
    const result = await query(feed, { ...means, fetch: cache.fetch });
    if (result.reason === "no_answer" && !(result.cause instanceof ProbeFailure)) throw result.cause;
    const isAnswer = result.outcome === "reachable" || result.outcome === "unreachable";
    if (isAnswer && !result.stale) await cache.keep(result.expires_at);
    return { ...result, feed };
  };
  const askCache = async (feed: string): Promise<FeedResult<Result>> => {
    const { last } = openFeedCache(folder, publicKey, fetchBy(transport), () => now() - maxStaleMs);
    return { ...(await query(feed, { ...means, fetch: last })), feed };
  };
  try {
    const result = await firstCurrent(feeds, ask);
    const { passed_over } = result;
    if (!isCurrent(result)) {
      const instead_of = result.stale ? "expired" : (result.reason ?? "http_status");
      const reasons = passed_over?.map(({ reason }) => reason) ?? [instead_of];
      const isAway = reasons.some((reason) => !conclusive.has(reason));
      const cached = isAway ? await Promise.all(feeds.map(askCache)) : [];
      const best = newest([result, ...cached]);
      return best === undefined ? result : { ...best, ...(passed_over && { passed_over }), instead_of };
    }
    // A prober's clock that is ahead must not keep out what it makes once the clock is right.
    const seenAt = Math.min(Date.parse(result.generated_at ?? ""), now());
    if (!Number.isNaN(seenAt)) await memory?.store(isoTimestamp(seenAt));
    return result;
  } finally {
    transport.close();
  }
}

/** Returns a `fetch` for the client. It rejects with ProbeFailure or the signal's reason. */
function fetchBy(transport: Transport): Fetch {
  return async (url, { headers: asked, signal }) => {
    const etag = new Headers(asked).get("if-none-match");
    const condition = etag === null ? [] : ["if-none-match", etag];
    const { status, headers, body } = await transport.request(new URL(url), wholeOrTooLarge, signal, {
      headers: condition,
    });
    if (status < 200 || status > 599) throw new ProbeFailure("not_http");
    const one = (name: string): string | undefined => [headers[name]].flat()[0];
    return responseOf({ status, body: new Uint8Array(body), etag: one("etag"), location: one("location") });
  };
}

function wholeOrTooLarge(answer: HttpResponse): HttpResponse | undefined {
  return answer.complete || answer.body.length > maxBytes ? answer : undefined;
}
