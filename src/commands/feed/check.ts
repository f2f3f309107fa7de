import { check as checkFeed, type CheckResult, type Counted } from "../../client/index.ts";
import { readFeedUrl, readTargetPath } from "./arguments.ts";
import { openFeedNetwork } from "./network.ts";
import { type Asked, askFeed } from "./question.ts";
import { insteadOfSentence, notFoundSentence, safeJson, unknownSentence } from "./sentences.ts";
import { mirrorTable } from "./table.ts";
import type { ExitCode, Setting } from "../setting.ts";

export interface CheckOptions {
  /** Where the feed is, with or without the slash at the end. */
  readonly url: string;
  /** system/project/target */
  readonly target: string;
  /** How many mirrors must be reachable. */
  readonly min: number;
  /** Whether only those in sync count. */
  readonly fresh?: boolean | undefined;
  readonly maxAgeMs?: number | undefined;
  /** How long the feed may take, in all. */
  readonly timeoutMs: number;
  /** Whether it is no failure that nothing is known. */
  readonly failOpen?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Whether enough mirrors are reachable: 0 where they are, 1 where not, 2 where the feed has no such target, 4 unknown. */
export async function check(options: CheckOptions, setting: Setting): Promise<ExitCode> {
  const [url, target] = [readFeedUrl(options.url), readTargetPath(options.target)];
  const { min, fresh, maxAgeMs, timeoutMs } = options;
  const network = await openFeedNetwork("check", setting);
  try {
    const asked = await askFeed(
      (means) => checkFeed(url, target, { min, fresh, maxAgeMs, timeoutMs, ...means }),
      network.fetch,
      setting,
    );
    return conclude(asked, url, target, options, setting);
  } finally {
    network.close();
  }
}

function conclude(
  { result, insteadOf }: Asked<CheckResult>,
  url: string,
  target: string,
  { fresh = false, failOpen = false, json = false }: CheckOptions,
  { print, tell, color }: Setting,
): ExitCode {
  if (json) print(safeJson({ url, target, ...result, cause: undefined, instead_of: insteadOf }));
  if (result.outcome === "not_found") {
    tell(notFoundSentence(target, result));
    return 2;
  }
  if (result.outcome === "unknown") {
    tell(`${failOpen ? "Warning" : "Unknown"}: ${unknownSentence(result)}`);
    return failOpen ? 0 : 4;
  }
  if (insteadOf !== undefined) tell(`Warning: ${insteadOfSentence(insteadOf, result)}`);
  if (!json)
    print([countSentence(target, result, fresh), mirrorTable(result.mirrors, color)].join("\n").trimEnd());
  return result.outcome === "reachable" ? 0 : 1;
}

function countSentence(target: string, { count, min, mirrors, outcome }: Counted, fresh: boolean): string {
  const wanted = fresh ? "reachable and in sync" : "reachable";
  const missing = outcome === "reachable" ? "" : `; at least ${min} must be`;
  return `${target}: ${count} of ${mirrors.length} mirrors ${wanted}${missing}.`;
}
