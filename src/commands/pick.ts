import { type Mirror, pick as pickFrom, type PickResult } from "../client/index.ts";
import { isAtHost } from "../client/pick.ts";
import { InputError } from "../base/errors.ts";
import { parseFeedUrl, parseTargetPath } from "./published/option-values.ts";
import { gitSetting, gitVariables } from "./published/git.ts";
import { openFeedNetwork } from "./published/network.ts";
import { type Probed, probeUntilGood, reorder } from "./published/probe.ts";
import { type FeedResult, queryFeed } from "./published/query.ts";
import { feedWarnings, notFoundSentence, safeJson, unknownSentence } from "./published/sentences.ts";
import { defaultKind, type KindName, sentenceOf } from "../kinds/kinds.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";

export interface PickOptions {
  /** The URL of the feed, with or without the slash at the end. */
  readonly url: string;
  /** system/project/target */
  readonly target: string;
  /** The hosts whose mirrors are excluded. */
  readonly exclude?: readonly string[] | undefined;
  /** The country whose mirrors come before equally good ones. */
  readonly country?: string | undefined;
  /** Whether the mirror is drawn by weight among the equally good ones. */
  readonly spread?: boolean | undefined;
  /** How the mirrors are printed. */
  readonly format: "url" | "list" | "json" | "env" | "git";
  /** The URL that Git replaces. The user names it, since a feed could name any. */
  readonly canonical?: string | undefined;
  /** The URL to use if no mirror can be picked, whatever the reason. The exit code is 0 then. */
  readonly fallback?: string | undefined;
  /** Whether a mirror is probed from here before it is printed, and how. */
  readonly probe?: boolean | undefined;
  /** The default kind if it is left out. */
  readonly kind?: KindName | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly maxAgeMs?: number | undefined;
  /** The time limit of all requests to the feed, and of each probe. */
  readonly timeoutMs: number;
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
export async function pick(options: PickOptions, context: CommandContext): Promise<ExitCode> {
  if (options.format === "git" && options.canonical === undefined) throw new InputError(noCanonical);
  const [url, target] = [parseFeedUrl(options.url), parseTargetPath(options.target)];
  const { maxAgeMs, timeoutMs, country, spread } = options;
  const { random } = context;
  const network = await openFeedNetwork("pick", context);
  try {
    const asked = await queryFeed(
      (means) => pickFrom(url, target, { maxAgeMs, timeoutMs, country, spread, random, ...means }),
      network.fetch,
      context,
    );
    const choice = await choose(asked.result, options, context);
    if (options.format === "json") context.output(choiceJson(url, target, asked, choice));
    return outputResult(asked, choice, { ...options, target }, context);
  } finally {
    network.close();
  }
}

function outputResult(
  { result, insteadOf }: FeedResult<PickResult>,
  choice: Choice,
  { format, target, canonical, fallback, exclude = [] }: PickOptions,
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
  {
    exclude = [],
    canonical,
    fallback,
    probe = false,
    kind = defaultKind,
    timeoutMs,
    allowPrivate = false,
  }: PickOptions,
  context: CommandContext,
): Promise<Choice> {
  const all = result.mirrors ?? [];
  const mirrors = all.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const named = canonical ?? all.find(({ primary }) => primary === true)?.url;
  const choiceOf = (mirror: Mirror | undefined): Choice => {
    return { mirror, chosen: mirror?.url ?? fallback, mirrors, probed: [], canonical: named };
  };
  if (!probe) return choiceOf(mirrors.find(({ status }) => status === 1));
  // Also those that the feed calls offline, since this observation is newer.
  const probed = await probeUntilGood(mirrors, { kind, timeoutMs, allowPrivate }, context);
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
