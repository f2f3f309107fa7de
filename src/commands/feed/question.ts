import type { CheckResult, FeedOptions, Fetch, PickResult, Reason } from "../../client/index.ts";
import { ProbeFailure } from "../../probe/failure.ts";
import { cacheFolder, openFeedCache } from "./cache.ts";
import type { Setting } from "../setting.ts";

/** What came of a question. */
export interface Asked<Result> {
  readonly result: Result;
  /** Why the feed gave no answer itself, where the result is of its last one. */
  readonly insteadOf?: Reason;
}

/** Why the answer of before may stand in: the feed is away, or something else answers in its stead. */
const away: ReadonlySet<Reason> = new Set([
  "no_answer",
  "timeout",
  "redirect",
  "too_large",
  "http_status",
  "not_contract",
]);

/**
 * Asks a feed through the cache; where the feed is away, its last good answer is taken, for as long as it holds. Rejects
 * with the reason of the interrupt, or with a fault of ours.
 */
export async function askFeed<Result extends CheckResult | PickResult>(
  ask: (means: FeedOptions) => Promise<Result>,
  fetch: Fetch,
  { environment, interrupt, now }: Setting,
): Promise<Asked<Result>> {
  const cache = openFeedCache(cacheFolder(environment), fetch, now);
  const means = { now, signal: interrupt };
  const result = await ask({ ...means, fetch: cache.fetch });
  if (isAnswer(result)) await cache.keep(result.expires_at);
  if (result.outcome !== "unknown" || !away.has(result.reason)) return { result };
  if (result.reason === "no_answer" && !(result.cause instanceof ProbeFailure)) throw result.cause;
  const last = await ask({ ...means, fetch: cache.last });
  return isAnswer(last) ? { result: last, insteadOf: result.reason } : { result };
}

function isAnswer(
  result: CheckResult | PickResult,
): result is Extract<CheckResult | PickResult, { outcome: "reachable" | "unreachable" }> {
  return result.outcome === "reachable" || result.outcome === "unreachable";
}
