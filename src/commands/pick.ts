import { type Command, Option } from "@commander-js/extra-typings";
import { isAtHost } from "../client/documents.ts";
import { type Mirror, pick as pickFrom, type PickResult } from "../client/index.ts";
import { InputError } from "../base/errors.ts";
import { configOfMirror } from "../config/schema.ts";
import { isKindName, type KindName, kindNames, kinds, sentenceOf, withoutKeyrings } from "../kinds/kinds.ts";
import type { Observation } from "../probe/observation.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import { withScheme } from "../base/text/url.ts";
import type { Execute, Notes, OptionsOf } from "./command.ts";
import { type Choice, formatChoice } from "./published/formats.ts";
import {
  exitCodes,
  feed,
  type FeedResult,
  maxAge,
  loadPublicKey,
  maxStale,
  parseFeedUrl,
  parseTargetPath,
  publicKey,
  queryFeeds,
  timeout,
} from "./published/query.ts";
import {
  feedFields,
  feedWarnings,
  notFoundSentence,
  safeJson,
  unknownSentence,
  wrongSentence,
} from "./published/sentences.ts";

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
    .option("--exclude <host>", "a host to leave out; may be repeated", parseExcluded)
    .option("--country <code>", "among equally good mirrors, prefer those in this country", parseCountry)
    .option("--spread", "choose at random among equally good mirrors, by weight, to share the load")
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["url", "list", "json", "env", "git"] as const)
        .default("url" as const),
    )
    .option("--canonical <url>", "with --format git or env: the URL that Git replaces", parseCanonical)
    .option(
      "--fallback <url>",
      "the URL to print, with a warning and exit code 0, if no mirror can be picked",
      parseFallback,
    )
    .option("--probe", "probe a mirror from here before printing it")
    .addOption(
      new Option("--kind <kind>", "the kind of the mirrors, for --probe if the feed does not say").choices(
        kindNames,
      ),
    )
    .option(...feed)
    .option(...maxAge)
    .option(...maxStale)
    .option(...publicKey)
    .addOption(timeout("the time limit for all requests to one feed, and for each probe"))
    .addOption(new Option("--json", "the same as --format json").conflicts("format"))
    .option("--allow-private", "let --probe reach loopback, private and link-local addresses too");
}

export type PickOptions = OptionsOf<typeof addOptions>;

export function parseExcluded(text: string, before: readonly string[] = []): string[] {
  const hostname = /^(?:\[[\da-f:.]+\]|[^\s\p{C}:/?#@\\[\],]+)(?::\d{1,5})?$/iu;
  if (hostname.test(text) && URL.canParse(`https://${text}`)) return [...before, text];
  throw new InputError(
    `${quote(text)} is not a host; name it as github.com, or with a port as github.com:8443.`,
  );
}

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

/** A file of variables takes no quotes, so a script that evaluates such lines would run what these separate. */
const shellCharacter = /[$&'();]|:~/;

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
  const {
    exclude = [],
    country,
    spread,
    canonical,
    fallback,
    maxAge: maxAgeMs,
    maxStale: maxStaleMs,
    timeout: timeoutMs,
  } = options;
  const format = options.json === true ? "json" : options.format;
  if (format === "git" && canonical === undefined)
    throw new InputError("Use --canonical to name the URL that Git replaces; the feed does not say it.");
  const [feeds, path] = [[parseFeedUrl(url), ...(options.feed ?? [])], parseTargetPath(target)];
  const { log, output, environment } = context;
  const asking = { maxAgeMs, timeoutMs, country, spread, random: context.random };
  const key = await loadPublicKey(options.publicKey);
  const queried = await queryFeeds(
    "pick",
    { feeds, path, maxStaleMs, publicKey: key },
    (site, means) => pickFrom(site, path, { ...asking, ...means }),
    context,
  );
  const { result } = queried;
  const all = result.mirrors ?? [];
  const allowed = all.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const isUnsafe = ({ url }: Mirror): boolean => format === "env" && shellCharacter.test(url);
  const left = allowed.filter((mirror) => !isUnsafe(mirror));
  // Includes mirrors that the feed calls offline, because this observation is newer.
  const probed = options.probe === true ? await probeUntilGood(left, options, context) : [];
  const mirror =
    options.probe === true
      ? probed.find(({ observation }) => observation.code === "ok")?.mirror
      : left.find(({ status }) => status === 1);
  const choice: Choice = { mirror, mirrors: reorder(left, probed), fallback, canonical };
  if (format === "json") {
    const head = { target: path, fallback: mirror === undefined ? fallback : undefined };
    const found = result.mirrors !== undefined && {
      outcome: mirror === undefined ? "unreachable" : "reachable",
      mirror,
      mirrors: choice.mirrors,
      canonical: canonical ?? all.find(({ primary }) => primary === true)?.url,
      probes:
        probed.length === 0
          ? undefined
          : probed.map(({ mirror: { url: of }, observation }) => ({ url: of, ...observation })),
    };
    output(safeJson({ ...head, ...feedFields(queried), ...found }));
  }
  const wrong = mirror && wrongSentence(mirror);
  for (const warning of [...feedWarnings(queried), ...(wrong === undefined ? [] : [wrong])])
    log(`Warning: ${warning}`);
  for (const { url } of allowed.filter(isUnsafe))
    log(
      `${url} is left out: a shell that evaluates these lines would run part of it. Use --format git or json.`,
    );
  for (const { mirror, observation } of probed) {
    if (observation.code === "ok") break;
    const remedy = observation.code === "blocked_address" ? " Allow them with --allow-private." : "";
    log(`${mirror.url} is left out: ${sentenceOf(observation.code, observation)}${remedy}`);
  }
  if (format !== "json" && (result.mirrors !== undefined || fallback !== undefined)) {
    const text = formatChoice(choice, format, environment);
    if (text !== "") output(text);
  }
  if (mirror !== undefined) return 0;
  const [code, prefix, sentence] = failureOf(queried, path, exclude);
  log(fallback === undefined ? prefix + sentence : `Warning: ${sentence} Using the fallback instead.`);
  return fallback === undefined ? code : 0;
}

function failureOf(
  { result, passedOver, meant }: FeedResult<PickResult>,
  target: string,
  exclude: readonly string[],
): [code: ExitCode, prefix: string, sentence: string] {
  if (result.outcome === "not_found") return [2, "Not found: ", notFoundSentence(target, result, meant)];
  if (result.outcome === "unknown") return [4, "Unknown: ", unknownSentence(result, passedOver)];
  const reachable = result.mirrors.filter(({ status }) => status === 1);
  const hosts = exclude.filter((host) => reachable.some((mirror) => isAtHost(host, mirror)));
  const count = reachable.filter((mirror) => hosts.some((host) => isAtHost(host, mirror))).length;
  if (count === 0) return [1, "", `No mirror of ${target} is reachable.`];
  const leftOut = count === 1 ? "1 reachable mirror is left out" : `${count} reachable mirrors are left out`;
  return [1, "", `--exclude leaves no reachable mirror of ${target}: ${leftOut} (${hosts.join(", ")}).`];
}

interface Probed {
  readonly mirror: Mirror;
  readonly observation: Observation;
}

const maxProbes = 16;

/**
 * Probes mirrors one after the other, as a run does, until one is good. Returns all observations: only the last one can
 * be good. Throws InputError if none can be probed. Rejects with the reason of the interrupt, or with an internal
 * error.
 */
async function probeUntilGood(
  mirrors: readonly Mirror[],
  { kind: given, timeout: timeoutMs, allowPrivate }: PickOptions,
  context: CommandContext,
): Promise<Probed[]> {
  const { observe } = await import("../run/observe.ts");
  // A configuration needs a mirror, which is not probed.
  const defaults = configOfMirror("https://feed.invalid/");
  const names = { system: "feed", project: "feed", target: "feed", place: "feed/feed/feed", primary: false };
  const limits = { timeoutMs, attempts: 2, failureThreshold: 1, successThreshold: 1 };
  // pick itself says why a mirror is left out.
  const silent = { ...context, log: () => undefined };
  const probed: Probed[] = [];
  const skipped: string[] = [];
  for (const mirror of mirrors.slice(0, maxProbes)) {
    const { id, name, url } = mirror;
    const how = howToProbe(mirror, given);
    if (typeof how === "string") {
      skipped.push(`${url} is left out: ${how}`);
      continue;
    }
    const settings = { ...limits, ...how };
    const node = { id, name, url, host: new URL(url).host, ...names, settings };
    const [observation] = (await observe(defaults, [node], { allowPrivate }, silent)).observations;
    if (observation === undefined) throw new Error("The mirror was not observed.");
    probed.push({ mirror, observation });
    if (observation.code === "ok") break;
  }
  if (probed.length === 0 && skipped[0] !== undefined) throw new InputError(skipped[0]);
  for (const sentence of skipped) context.log(sentence);
  return probed;
}

/**
 * Returns the kind of a mirror and its options, as the feed has them, or the given kind; or why it cannot be probed.
 */
function howToProbe({ kind, options }: Mirror, given: KindName | undefined) {
  if (given !== undefined && given !== kind) return { kind: given, options: {} };
  if (kind === undefined)
    return "The feed does not say how this mirror is probed; name its kind with --kind.";
  const parsed = isKindName(kind) ? kinds[kind].options?.safeParse(options) : undefined;
  if (!isKindName(kind) || parsed?.success === false)
    return "This version cannot probe this mirror as the feed does; name its kind with --kind.";
  return { kind, options: withoutKeyrings(kind, parsed?.data ?? {}) };
}

/** Returns the mirrors with the good one first, then those not probed, then those that failed. */
function reorder(mirrors: readonly Mirror[], probed: readonly Probed[]): Mirror[] {
  const codes = new Map(probed.map(({ mirror, observation }) => [mirror, observation.code]));
  const order = (mirror: Mirror): number => {
    const code = codes.get(mirror);
    return code === "ok" ? 0 : code === undefined ? 1 : 2;
  };
  return mirrors.toSorted((left, right) => order(left) - order(right));
}
