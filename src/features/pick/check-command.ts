import type { Command } from "@commander-js/extra-typings";
import { check as checkFeed, type Counted, type FeedOptions } from "../../client/index.ts";
import { InputError } from "../../core/base/errors.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";
import { addFeedOptions, exitCodes, parseTargetPath, queryFeeds } from "../trust/query.ts";
import { failureOf, feedFields, feedWarnings, freshnessSentences, mirrorTable } from "./pick-sentences.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed check https://status.example.org/ community/jcb/packages --min 2 --fresh",
    "mirrorfeed check https://status.example.org/ community/jcb/packages --max-age 1h --fail-open",
  ],
  exitCodes: { 0: "enough mirrors are reachable", 1: "too few are reachable", ...exitCodes },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((url, target, options) =>
    execute((context) => check(url, target, options, context)),
  );
}

function addOptions(command: Command) {
  const declared = command
    .option("--min <n>", "how many mirrors must be reachable", parseMinimum, 1)
    .option("--fresh", "count only mirrors that are in sync");
  return addFeedOptions(declared, "the time limit for all requests to one feed")
    .option("--fail-open", "if the answer is unknown, print a warning and exit with 0")
    .option(...sharedOptions.json);
}

export type CheckOptions = OptionsOf<typeof addOptions>;

export function parseMinimum(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InputError(`${quote(text)} is not a number of mirrors; write a number from 1 to 9999.`);
}

/**
 * Checks whether enough mirrors are reachable. Returns 0 if they are, 1 if they are not, 2 if the feed has no such
 * target, and 4 if no feed has a usable answer. With `failOpen`, returns 0 instead of 4.
 */
export async function check(
  url: string,
  target: string,
  options: CheckOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const path = parseTargetPath(target);
  const { min, fresh, failOpen, json } = options;
  const { output, log } = context;
  const ask = (feed: string, means: FeedOptions) => checkFeed(feed, path, { min, fresh, ...means });
  const result = await queryFeeds("check", url, options, ask, context);
  if (json === true) output(JSON.stringify({ target: path, ...feedFields(result) }, null, 2));
  for (const warning of feedWarnings(result)) log(`Warning: ${warning}`);
  if (result.outcome === "not_found" || result.outcome === "unknown") {
    const [code, prefix, sentence] = failureOf(result, path);
    const isForgiven = failOpen === true && code === 4;
    log(isForgiven ? `Warning: ${sentence}` : prefix + sentence);
    return isForgiven ? 0 : code;
  }
  if (json !== true) {
    const reasons = fresh === true ? freshnessSentences(result.mirrors) : [];
    const lines = [countSentence(path, result, fresh === true), ...reasons, mirrorTable(result.mirrors)];
    output(lines.join("\n").trimEnd());
  }
  return result.outcome === "reachable" ? 0 : 1;
}

function countSentence(target: string, { count, min, mirrors, outcome }: Counted, fresh: boolean): string {
  const reachable = mirrors.filter(({ status }) => status === 1).length;
  const missing = outcome === "reachable" ? "" : `; --min requires ${min}`;
  const known = fresh ? `, ${count === 0 ? "none" : count} known to be in sync` : "";
  return `${target}: ${reachable} of ${mirrors.length} mirrors reachable${known}${missing}.`;
}
