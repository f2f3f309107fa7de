import type { CheckResult, FeedOptions, Fetch, PickResult, Reason } from "../../client/index.ts";
import { ProbeFailure } from "../../base/http/failure.ts";
import { cacheFolder, openFeedCache } from "./cache.ts";
import type { CommandContext } from "../../base/terminal/context.ts";

/** The result of a query. */
export interface FeedResult<Result> {
  readonly result: Result;
  /** Why the feed did not answer, if the result comes from its last answer. */
  readonly insteadOf?: Reason;
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
  query: (means: FeedOptions) => Promise<Result>,
  fetch: Fetch<Response>,
  { environment, interrupt, now }: CommandContext,
): Promise<FeedResult<Result>> {
  const cache = openFeedCache(cacheFolder(environment), fetch, now);
  const means = { now, signal: interrupt };
  const result = await query({ ...means, fetch: cache.fetch });
  if (isAnswer(result)) await cache.keep(result.expires_at);
  if (result.outcome !== "unknown" || !away.has(result.reason)) return { result };
  if (result.reason === "no_answer" && !(result.cause instanceof ProbeFailure)) throw result.cause;
  const last = await query({ ...means, fetch: cache.last });
  return isAnswer(last) ? { result: last, insteadOf: result.reason } : { result };
}

function isAnswer(
  result: CheckResult | PickResult,
): result is Extract<CheckResult | PickResult, { outcome: "reachable" | "unreachable" }> {
  return result.outcome === "reachable" || result.outcome === "unreachable";
}
