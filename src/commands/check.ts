import { check as checkFeed, type CheckResult, type Counted } from "../client/index.ts";
import { parseFeedUrl, parseTargetPath } from "./published/option-values.ts";
import { openFeedNetwork } from "./published/network.ts";
import { type FeedResult, queryFeed } from "./published/query.ts";
import {
  feedWarnings,
  freshnessSentences,
  notFoundSentence,
  safeJson,
  unknownSentence,
} from "./published/sentences.ts";
import { mirrorTable } from "./published/table.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";

export interface CheckOptions {
  /** The URL of the feed, with or without the slash at the end. */
  readonly url: string;
  /** system/project/target */
  readonly target: string;
  /** How many mirrors must be reachable. */
  readonly min: number;
  /** Whether only mirrors in sync count. */
  readonly fresh?: boolean | undefined;
  readonly maxAgeMs?: number | undefined;
  /** The time limit of all requests. */
  readonly timeoutMs: number;
  /** Whether an unknown result is a success. */
  readonly failOpen?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Checks whether enough mirrors are reachable. Returns 0 if they are, 1 if not, 2 if the feed has no such target, 4 if
 * unknown.
 */
export async function check(options: CheckOptions, context: CommandContext): Promise<ExitCode> {
  const [url, target] = [parseFeedUrl(options.url), parseTargetPath(options.target)];
  const { min, fresh, maxAgeMs, timeoutMs } = options;
  const network = await openFeedNetwork("check", context);
  try {
    const asked = await queryFeed(
      (means) => checkFeed(url, target, { min, fresh, maxAgeMs, timeoutMs, ...means }),
      network.fetch,
      context,
    );
    return outputResult(asked, url, target, options, context);
  } finally {
    network.close();
  }
}

function outputResult(
  { result, insteadOf }: FeedResult<CheckResult>,
  url: string,
  target: string,
  { fresh = false, failOpen = false, json = false }: CheckOptions,
  { output, log, color }: CommandContext,
): ExitCode {
  if (json) output(safeJson({ url, target, ...result, cause: undefined, instead_of: insteadOf }));
  if (result.outcome === "not_found") {
    log(`Not found: ${notFoundSentence(target, result)}`);
    return 2;
  }
  if (result.outcome === "unknown") {
    log(`${failOpen ? "Warning" : "Unknown"}: ${unknownSentence(result)}`);
    return failOpen ? 0 : 4;
  }
  for (const warning of feedWarnings(result, insteadOf)) log(`Warning: ${warning}`);
  if (!json) {
    const reasons = fresh ? freshnessSentences(result.mirrors) : [];
    const lines = [countSentence(target, result, fresh), ...reasons, mirrorTable(result.mirrors, color)];
    output(lines.join("\n").trimEnd());
  }
  return result.outcome === "reachable" ? 0 : 1;
}

function countSentence(target: string, { count, min, mirrors, outcome }: Counted, fresh: boolean): string {
  const wanted = fresh ? "reachable and in sync" : "reachable";
  const missing = outcome === "reachable" ? "" : `; at least ${min} must be`;
  return `${target}: ${count} of ${mirrors.length} mirrors ${wanted}${missing}.`;
}
