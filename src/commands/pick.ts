import { type Command, Option } from "@commander-js/extra-typings";
import { type Mirror, pick as pickFrom, type PickResult } from "../client/index.ts";
import { isAtHost } from "../client/pick.ts";
import { InputError } from "../base/errors.ts";
import { defaultKind, kindNames, sentenceOf } from "../kinds/kinds.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import { withScheme } from "../base/text/url.ts";
import type { Execute, Notes, OptionsOf } from "./command.ts";
import { gitSetting, gitVariables } from "./published/git.ts";
import { type Probed, probeUntilGood, reorder } from "./published/probe.ts";
import {
  exitCodes,
  maxAge,
  parseFeedUrl,
  parseTargetPath,
  timeout,
  type FeedResult,
  queryFeed,
} from "./published/query.ts";
import { feedWarnings, notFoundSentence, safeJson, unknownSentence } from "./published/sentences.ts";

export const notes: Notes = {
  examples: [
    `git clone "$(mirrorfeed pick https://status.example.org/ community/jcb/packages --fallback https://git.example.org/jcb/packages)"`,
    "mirrorfeed pick https://status.example.org/ community/jcb/packages --exclude github.com --exclude gitlab.com --country DE --probe",
  ],
  exitCodes: { 0: "a mirror or the fallback is printed", 1: "no mirror is reachable", ...exitCodes },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((url, target, options) =>
    execute((context) => pick(url, target, options, context)),
  );
}

function addOptions(command: Command) {
  return command
    .argument("<url>", "the URL of the feed")
    .argument("<target>", "the target, as system/project/target")
    .option("--exclude <host>", "a host to leave out; repeat it for more", parseExcluded)
    .option("--country <code>", "prefer the mirrors of a country among equally good ones", parseCountry)
    .option("--spread", "draw by weight among equally good mirrors, to share the load")
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["url", "list", "json", "env", "git"] as const)
        .default("url" as const),
    )
    .option("--canonical <url>", "with --format git or env: the URL that Git replaces", parseCanonical)
    .option(
      "--fallback <url>",
      "what is printed, with a warning and exit code 0, if no mirror can be picked",
      parseFallback,
    )
    .option("--probe", "probe a mirror from here before it is printed")
    .addOption(new Option("--kind <kind>", "how --probe probes").choices(kindNames).default(defaultKind))
    .option(...maxAge)
    .addOption(timeout("the time limit of all requests, and of each probe"))
    .addOption(
      new Option("--json", "the same as --format json").conflicts("format").implies({ format: "json" }),
    )
    .option("--allow-private", "let --probe reach loopback, private and link-local addresses too");
}

export type PickOptions = OptionsOf<typeof addOptions>;

/** Returns the excluded hosts so far with one more. */
export function parseExcluded(text: string, before: readonly string[] = []): string[] {
  const hostname = /^(?:\[[\da-f:.]+\]|[^\s\p{C}:/?#@\\[\],]+)(?::\d{1,5})?$/iu;
  if (hostname.test(text) && URL.canParse(`https://${text}`)) return [...before, text];
  throw new InputError(
    `${quote(text)} is not a host; name it as github.com, or with a port as github.com:8443.`,
  );
}

/** Returns the two letters of a country in upper case. */
export function parseCountry(text: string): string {
  const country = text.toUpperCase();
  if (/^[A-Z]{2}$/.test(country) && country !== "UK") return country;
  throw new InputError(
    `${quote(text)} is not a country; write the two letters of ISO 3166-1, such as DE or GB.`,
  );
}

/** Returns the URL that Git clones, of any scheme. */
export function parseCanonical(text: string): string {
  const isSecret = /^https?:\/\/[^/]*@|:\/\/[^/]*:[^/@]*@/i.test(text);
  if (/^[\w/][!-~]{2,1999}$/.test(text) && !isSecret) return text;
  throw new InputError(
    `${quote(text)} is not a URL of a repository; write it as https://git.example.org/owner/name, without credentials.`,
  );
}

export function parseFallback(text: string): string {
  const complete = withScheme(text);
  if (complete === undefined) return parseCanonical(text);
  throw new InputError(`--fallback: ${quote(text)} has no scheme; write ${quote(complete)}.`);
}

/** The mirrors to print, the best first, and the picked one, if there is one. */
interface Choice {
  readonly mirror: Mirror | undefined;
  /** The URL of the mirror, or the fallback. */
  readonly chosen: string | undefined;
  readonly mirrors: readonly Mirror[];
  readonly probed: readonly Probed[];
  readonly canonical: string | undefined;
}

/**
 * Prints the best reachable mirror. Returns 0 if there is one or a fallback, 1 if none is reachable, 2 if the feed has
 * no such target, 4 if unknown. The list ends with the offline mirrors, and is printed even if all are offline.
 */
export async function pick(
  url: string,
  target: string,
  options: PickOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const format = options.json === true ? "json" : options.format;
  if (format === "git" && options.canonical === undefined) throw new InputError(noCanonical);
  const [site, path] = [parseFeedUrl(url), parseTargetPath(target)];
  const { maxAge: maxAgeMs, timeout: timeoutMs, country, spread } = options;
  const { random } = context;
  const asked = await queryFeed(
    "pick",
    (means) => pickFrom(site, path, { maxAgeMs, timeoutMs, country, spread, random, ...means }),
    context,
  );
  const choice = await choose(asked.result, options, context);
  if (format === "json") context.output(choiceJson(site, path, asked, choice));
  return outputResult(asked, path, choice, { ...options, format }, context);
}

function outputResult(
  { result, insteadOf }: FeedResult<PickResult>,
  target: string,
  choice: Choice,
  { format, canonical, fallback, exclude = [] }: PickOptions,
  context: CommandContext,
): ExitCode {
  const { log } = context;
  for (const warning of feedWarnings(result, insteadOf)) log(`Warning: ${warning}`);
  for (const { mirror, observation } of choice.probed)
    if (observation.code !== "ok") {
      const remedy = observation.code === "blocked_address" ? " Allow them with --allow-private." : "";
      log(`${mirror.url} is left out: ${sentenceOf(observation.code, observation)}${remedy}`);
    }
  const failure = failureOf(result, choice, target, exclude);
  const isKnown = result.mirrors !== undefined || fallback !== undefined;
  const text = format === "json" || !isKnown ? "" : textOf(choice, format, canonical, context);
  if (text !== "") context.output(text);
  if (failure === undefined) return 0;
  const { code, sentence } = failure;
  if (fallback === undefined) log(`${prefixes[code] ?? ""}${sentence}`);
  else log(`Warning: ${sentence} The fallback stands in for it.`);
  return fallback === undefined ? code : 0;
}

/** What a sentence begins with, by its exit code. */
const prefixes: Partial<Record<ExitCode, string>> = { 2: "Not found: ", 4: "Unknown: " };

/** Returns why no mirror is picked, or undefined if one is. */
function failureOf(
  result: PickResult,
  { mirror }: Choice,
  target: string,
  exclude: readonly string[],
): { readonly code: ExitCode; readonly sentence: string } | undefined {
  if (mirror !== undefined) return undefined;
  if (result.outcome === "not_found") return { code: 2, sentence: notFoundSentence(target, result) };
  if (result.outcome === "unknown") return { code: 4, sentence: unknownSentence(result) };
  return {
    code: 1,
    sentence: excludedSentence(result.mirrors, target, exclude) ?? `No mirror of ${target} is reachable.`,
  };
}

/** Returns a sentence that names the hosts whose reachable mirrors are excluded, or undefined if there are none. */
function excludedSentence(
  mirrors: readonly Mirror[],
  target: string,
  exclude: readonly string[],
): string | undefined {
  const reachable = mirrors.filter(({ status }) => status === 1);
  const hosts = exclude.filter((host) => reachable.some((mirror) => isAtHost(host, mirror)));
  const count = reachable.filter((mirror) => hosts.some((host) => isAtHost(host, mirror))).length;
  if (count === 0) return undefined;
  const leftOut = count === 1 ? "1 reachable one is left out" : `${count} reachable ones are left out`;
  return `--exclude leaves no reachable mirror of ${target}: ${leftOut} (${hosts.join(", ")}).`;
}

const noCanonical = "Name the URL that Git replaces with --canonical; it is not taken from the feed.";

async function choose(
  result: PickResult,
  { exclude = [], canonical, fallback, probe, ...settings }: PickOptions,
  context: CommandContext,
): Promise<Choice> {
  const all = result.mirrors ?? [];
  const mirrors = all.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const named = canonical ?? all.find(({ primary }) => primary === true)?.url;
  const choiceOf = (mirror: Mirror | undefined): Choice => {
    return { mirror, chosen: mirror?.url ?? fallback, mirrors, probed: [], canonical: named };
  };
  if (probe !== true) return choiceOf(mirrors.find(({ status }) => status === 1));
  // Also those that the feed calls offline, since this observation is newer.
  const probed = await probeUntilGood(mirrors, settings, context);
  const good = probed.find(({ observation }) => observation.code === "ok");
  return { ...choiceOf(good?.mirror), mirrors: reorder(mirrors, probed), probed };
}

function choiceJson(
  url: string,
  target: string,
  { result, insteadOf }: FeedResult<PickResult>,
  { mirror, chosen, mirrors, probed, canonical }: Choice,
): string {
  const fallback = mirror === undefined ? chosen : undefined;
  const head = { url, target, fallback, instead_of: insteadOf };
  if (result.mirrors === undefined) return safeJson({ ...head, ...result, cause: undefined });
  const outcome = mirror === undefined ? "unreachable" : "reachable";
  const seen = probed.map(({ mirror: { url: of }, observation }) => ({ url: of, ...observation }));
  const probes = seen.length === 0 ? undefined : seen;
  return safeJson({ ...head, ...result, outcome, mirror, mirrors, canonical, probes });
}

function textOf(
  choice: Choice,
  format: Exclude<PickOptions["format"], "json">,
  canonical: string | undefined,
  { environment }: CommandContext,
): string {
  const { mirror, chosen, mirrors } = choice;
  if (format === "list") {
    const urls = mirrors.map(({ url }) => url);
    const fallback = mirror === undefined && chosen !== undefined ? [chosen] : [];
    return [...fallback, ...urls.filter((url) => !fallback.includes(url))].join("\n");
  }
  if (format === "env") return variables(choice, canonical, environment);
  if (chosen === undefined) return "";
  if (format === "url") return chosen;
  if (canonical !== undefined) return gitSetting(chosen, canonical);
  throw new InputError(noCanonical);
}

/** Returns lines for $GITHUB_ENV, $GITHUB_OUTPUT and `export`. No value holds a line break. */
function variables(
  { chosen, mirrors }: Choice,
  canonical: string | undefined,
  environment: CommandContext["environment"],
): string {
  const pairs = [
    ["MIRRORFEED_COUNT", String(mirrors.filter(({ status }) => status === 1).length)],
    ...(chosen === undefined ? [] : [["MIRRORFEED_URL", chosen]]),
    ...(chosen === undefined || canonical === undefined ? [] : gitVariables(chosen, canonical, environment)),
  ];
  return pairs.map(([name = "", value = ""]) => `${name}=${value}`).join("\n");
}
