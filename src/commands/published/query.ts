import { Option } from "@commander-js/extra-typings";
import type { CheckResult, FeedOptions, Fetch, PickResult, Reason } from "../../client/index.ts";
import { targetPattern, Unanswered, urlPattern } from "../../client/interface.ts";
import { fieldsOf, get, maxBytes } from "../../client/request.ts";
import { InputError } from "../../base/errors.ts";
import { userAgent } from "../../base/files/package.ts";
import { ProbeFailure } from "../../base/http/failure.ts";
import type { HttpResponse } from "../../base/http/response.ts";
import type { Transport } from "../../base/http/transport.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { closestName } from "../../base/text/name.ts";
import { quote } from "../../base/text/quote.ts";
import { parseDeploymentUrl } from "../../verify/deployment-url.ts";
import { durationParser, parseTimeout } from "../command.ts";
import { cacheFolder, openFeedCache, responseOf } from "./cache.ts";

export const parseAge = durationParser(1, Infinity, "an age", "write it as 90s, 30m, 1h or 2d");

export const maxAge = ["--max-age <time>", "how old the feed may be, such as 1h", parseAge] as const;

export function timeout(description: string) {
  return new Option("--timeout <time>", description).argParser(parseTimeout).default(5000, "5s");
}

export const exitCodes = {
  2: "usage, or a target that the feed does not have (the text says which)",
  4: "unknown: the feed cannot be read, or has expired",
};

/** Returns the URL of a feed, with a slash at the end. Throws InputError if the text is not such a URL. */
export function parseFeedUrl(text: string): string {
  const { href } = parseDeploymentUrl(text);
  if (urlPattern.test(href)) return href;
  throw new InputError(
    `${quote(text)} holds characters that a URL cannot; write it as https://status.example.org/.`,
  );
}

export function parseTargetPath(text: string): string {
  if (targetPattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not a target; write it as system/project/target, of letters, digits or . _ ~ - each.`,
  );
}

export interface FeedResult<Result> {
  readonly result: Result;
  /** Why the feed did not answer, if the result comes from its last answer. */
  readonly insteadOf?: Reason;
  /** A target of the feed with a name that is nearly the given one, if that is unknown. */
  readonly meant?: string | undefined;
}

/** The reasons that let the last answer replace a new one: the feed is unreachable, or something else answers. */
const away: ReadonlySet<Reason> = new Set([
  "no_answer",
  "timeout",
  "redirect",
  "too_large",
  "http_status",
  "not_contract",
]);

/**
 * Queries a feed through the cache. If the feed is unreachable, its last good answer is used until it expires. Rejects
 * with the reason of the interrupt, or with an internal error.
 */
export async function queryFeed<Result extends CheckResult | PickResult>(
  command: string,
  { site, path }: { readonly site: string; readonly path: string },
  query: (means: FeedOptions) => Promise<Result>,
  { environment, interrupt, now }: CommandContext,
): Promise<FeedResult<Result>> {
  const { openTransport } = await import("../../base/http/environment.ts");
  // The transport of the prober. The user names the feed, so any address is allowed.
  // One byte more than the client reads, so that the client reports a too large answer.
  const options = { isAllowed: () => true, userAgent: userAgent({ command }), maxBytes: maxBytes + 1 };
  const transport = await openTransport(options, [], environment);
  const cache = openFeedCache(cacheFolder(environment), fetchBy(transport), now);
  const means = { now, signal: interrupt };
  try {
    const result = await query({ ...means, fetch: cache.fetch });
    if (isAnswer(result)) await cache.keep(result.expires_at);
    if (result.outcome === "not_found")
      return { result, meant: await nearestTarget(site, path, cache.fetch, interrupt) };
    if (result.outcome !== "unknown" || !away.has(result.reason)) return { result };
    if (result.reason === "no_answer" && !(result.cause instanceof ProbeFailure)) throw result.cause;
    const last = await query({ ...means, fetch: cache.last });
    return isAnswer(last) ? { result: last, insteadOf: result.reason } : { result };
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
