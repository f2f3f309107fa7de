import { type Command, Option } from "@commander-js/extra-typings";
import { isAtHost } from "../../client/documents.ts";
import { type FeedOptions, type Mirror, pick as pickFrom, type PickResult } from "../../client/index.ts";
import { InputError } from "../../core/base/errors.ts";
import { kindNames } from "../../core/kinds/kinds.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { withScheme } from "../../core/base/text/url.ts";
import { type Execute, type Notes, type OptionsOf, parserFor } from "../../core/command/command.ts";
import { failureSentences, type Probed, probeUntilGood, rankProbed } from "./probe-mirrors.ts";
import { addFeedOptions, exitCodes, parseTargetPath, queryFeeds } from "../trust/query.ts";
import { failureOf, feedFields, feedWarnings, wrongSentence } from "./pick-sentences.ts";

export const notes: Notes = {
  examples: [
    `git clone "$(mirrorfeed pick https://status.example.org/ community/jcb/packages --fallback https://git.example.org/jcb/packages)"`,
    `git remote set-url origin "$(mirrorfeed pick https://status.example.org/ community/jcb/packages --exclude github.com --country DE --probe --fallback https://git.example.org/jcb/packages)"`,
  ],
  exitCodes: { 0: "a mirror or the fallback was printed", 1: "no mirror is reachable", ...exitCodes },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((url, target, options) =>
    execute((context) => pick(url, target, options, context)),
  );
}

function addOptions(command: Command) {
  const declared = command
    .option("--exclude <host>", "never pick a mirror on this host; may be repeated", parseExcluded)
    .option("--country <code>", "among equally good mirrors, prefer those in this country", parseCountry)
    .option("--spread", "pick at random among equally good mirrors, by weight, to spread the load")
    .addOption(
      new Option("--format <format>", "the output format")
        .choices(["url", "list", "json", "env"] as const)
        .default("url" as const),
    )
    .option(
      "--fallback <url>",
      "if no mirror can be picked, print this URL with a warning and exit with 0",
      parseFallback,
    )
    .option("--probe", "probe mirrors from here, best first, and print the first that works")
    .addOption(
      new Option("--kind <kind>", "with --probe: the mirrors' kind, if the feed does not say").choices(
        kindNames,
      ),
    );
  return addFeedOptions(declared, "the time limit for all requests to one feed, and for each probe")
    .addOption(new Option("--json", "the same as --format json").conflicts("format"))
    .option("--allow-private", "let --probe reach loopback, private and link-local addresses too");
}

export type PickOptions = OptionsOf<typeof addOptions>;

export function parseExcluded(text: string, before: readonly string[] = []): string[] {
  const hostname = /^(?:\[[\da-f:.]+\]|[^\s\p{C}:/?#@\\[\],]+)(?::\d{1,5})?$/iu;
  if (hostname.test(text) && URL.canParse(`https://${text}`)) return [...before, text];
  throw new InputError(
    `${quote(text)} is not a host; write it as github.com or, with a port, as github.com:8443.`,
  );
}

export const parseCountry = (text: string): string => countryText(text).toUpperCase();
const countryText = parserFor(
  /^(?!uk)[a-z]{2}$/i,
  "a country code; write two letters from ISO 3166-1, such as DE or GB",
);

/** Parses a URL in any form that Git can clone. */
export function parseFallback(text: string): string {
  const complete = withScheme(text);
  if (complete !== undefined)
    throw new InputError(`--fallback: ${quote(text)} has no scheme; write ${quote(complete)}.`);
  const isSecret = /^https?:\/\/[^/]*@|:\/\/[^/]*:[^/@]*@/i.test(text);
  if (/^[\w/][!-~]{2,1999}$/.test(text) && !isSecret) return text;
  throw new InputError(
    `${quote(text)} is not a repository URL; write it as https://git.example.org/owner/name, without credentials.`,
  );
}

/**
 * A shell does not take these characters literally, and `--format env` cannot quote them, because $GITHUB_ENV would
 * keep the quotes.
 */
const shellCharacter = /[$&'();]|:~/;

/**
 * Prints the best reachable mirror. Returns 0 if a mirror or the fallback was printed, 1 if no mirror is reachable, 2
 * if the feed has no such target, 4 if the answer is unknown. `--format list` prints all mirrors in every case,
 * offline ones last.
 */
export async function pick(
  url: string,
  target: string,
  options: PickOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const path = parseTargetPath(target);
  const { exclude = [], country, spread, fallback } = options;
  const format = options.json === true ? "json" : options.format;
  const { log, output, random } = context;
  const ask = (feed: string, means: FeedOptions) =>
    pickFrom(feed, path, { country, spread, random, ...means });
  const result = await queryFeeds("pick", url, options, ask, context);
  const mirrors = result.mirrors ?? [];
  const allowed = mirrors.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const isUnsafe = ({ url }: Mirror): boolean => format === "env" && shellCharacter.test(url);
  const left = allowed.filter((mirror) => !isUnsafe(mirror));
  // Mirrors that the feed calls offline are probed too, because a probe is newer than the feed.
  const probed: Probed = options.probe === true ? await probeUntilGood(left, options, context) : new Map();
  const mirror = left.find((one) =>
    options.probe === true ? probed.get(one)?.code === "ok" : one.status === 1,
  );
  const ranked = rankProbed(left, probed);
  if (format === "json") {
    const probes = [...probed].map(([{ url }, observation]) => ({ url, ...observation }));
    const head = { target: path, fallback: mirror === undefined ? fallback : undefined };
    const found = result.mirrors !== undefined && {
      outcome: mirror === undefined ? "unreachable" : "reachable",
      mirror,
      mirrors: ranked,
      probes: probes.length > 0 ? probes : undefined,
    };
    output(JSON.stringify({ ...head, ...feedFields(result), ...found }, null, 2));
  }
  const wrong = mirror && wrongSentence(mirror);
  for (const warning of [...feedWarnings(result), ...(wrong === undefined ? [] : [wrong])])
    log(`Warning: ${warning}`);
  for (const { url } of allowed.filter(isUnsafe))
    log(
      `Skipped ${url}: a shell that evaluates the output would run part of the URL as a command. Use --format json.`,
    );
  for (const sentence of failureSentences(probed)) log(sentence);
  if (format !== "json" && (result.mirrors !== undefined || fallback !== undefined)) {
    const text = formatChoice(format, ranked, mirror?.url ?? fallback);
    if (text !== "") output(text);
  }
  if (mirror !== undefined) return 0;
  const [code, prefix, sentence] = noMirrorOf(result, path, exclude);
  log(fallback === undefined ? prefix + sentence : `Warning: ${sentence} Using the fallback instead.`);
  return fallback === undefined ? code : 0;
}

/** Returns an empty string if there is nothing to print. `chosen` is the URL of a mirror or the fallback. */
function formatChoice(
  format: "url" | "list" | "env",
  mirrors: readonly Mirror[],
  chosen: string | undefined,
): string {
  if (format === "url") return chosen ?? "";
  const first = chosen === undefined ? [] : [chosen];
  if (format === "list") return [...new Set([...first, ...mirrors.map(({ url }) => url)])].join("\n");
  // Lines for $GITHUB_ENV, $GITHUB_OUTPUT and `export`. Values contain no line breaks, and `pick` has skipped mirrors
  // with characters that a shell acts on.
  const count = mirrors.filter(({ status }) => status === 1).length;
  return [`MIRRORFEED_COUNT=${count}`, ...first.map((url) => `MIRRORFEED_URL=${url}`)].join("\n");
}

function noMirrorOf(
  result: PickResult,
  target: string,
  exclude: readonly string[],
): ReturnType<typeof failureOf> {
  if (result.outcome === "not_found" || result.outcome === "unknown") return failureOf(result, target);
  const reachable = result.mirrors.filter(({ status }) => status === 1);
  const hosts = exclude.filter((host) => reachable.some((mirror) => isAtHost(host, mirror)));
  const count = reachable.filter((mirror) => hosts.some((host) => isAtHost(host, mirror))).length;
  if (count === 0) return [1, "", `No mirror of ${target} is reachable.`];
  const skipped = formatCount(count, "reachable mirror");
  return [1, "", `No mirror of ${target} can be picked: --exclude skips ${skipped} (${hosts.join(", ")}).`];
}
