import { type Mirror, pick as pickFrom, type PickResult } from "../../client/index.ts";
import { isAtHost } from "../../client/pick.ts";
import { InputError } from "../../errors.ts";
import { readFeedUrl, readTargetPath } from "./arguments.ts";
import { gitSetting, gitVariables } from "./git.ts";
import { openFeedNetwork } from "./network.ts";
import { type Probed, probeUntilGood, reorder } from "./probe.ts";
import { type Asked, askFeed } from "./question.ts";
import { insteadOfSentence, notFoundSentence, safeJson, unknownSentence } from "./sentences.ts";
import { codeSentences } from "../../sentences.ts";
import type { ExitCode, Setting } from "../setting.ts";

export interface PickOptions {
  /** Where the feed is, with or without the slash at the end. */
  readonly url: string;
  /** system/project/target */
  readonly target: string;
  /** The hosts whose mirrors are left out. */
  readonly exclude?: readonly string[] | undefined;
  /** How the mirrors are printed. */
  readonly format: "url" | "list" | "json" | "env" | "git";
  /** The url that git is led away from; a feed is not trusted with it, since it could name any. */
  readonly canonical?: string | undefined;
  /** Whether a mirror is probed from here before it is printed, and how. */
  readonly verify?: boolean | undefined;
  readonly kind: "git" | "http";
  readonly allowPrivate?: boolean | undefined;
  readonly maxAgeMs?: number | undefined;
  /** How long the feed may take, in all, and each mirror that is probed. */
  readonly timeoutMs: number;
}

/** The mirrors to print, the best first, and the one that is picked, if there is one. */
interface Choice {
  readonly mirror: Mirror | undefined;
  readonly mirrors: readonly Mirror[];
  readonly probed: readonly Probed[];
  readonly canonical: string | undefined;
}

/**
 * Prints the best reachable mirror: 0 where there is one, 1 where none is reachable, 2 where the feed has no such target,
 * 4 where nothing is known. Offline mirrors stand last in the list, which is printed even where all of them are.
 */
export async function pick(options: PickOptions, setting: Setting): Promise<ExitCode> {
  if (options.format === "git" && options.canonical === undefined) throw new InputError(noCanonical);
  const [url, target] = [readFeedUrl(options.url), readTargetPath(options.target)];
  const { maxAgeMs, timeoutMs } = options;
  const network = await openFeedNetwork("pick", setting);
  try {
    const asked = await askFeed(
      (means) => pickFrom(url, target, { maxAgeMs, timeoutMs, ...means }),
      network.fetch,
      setting,
    );
    const choice = await choose(asked.result, options, setting);
    if (options.format === "json") setting.print(choiceJson(url, target, asked, choice));
    return conclude(asked, choice, { ...options, target }, setting);
  } finally {
    network.close();
  }
}

function conclude(
  { result, insteadOf }: Asked<PickResult>,
  choice: Choice,
  { format, target, canonical }: PickOptions,
  setting: Setting,
): ExitCode {
  const { tell } = setting;
  if (result.outcome === "not_found") {
    tell(notFoundSentence(target, result));
    return 2;
  }
  if (result.outcome === "unknown") {
    tell(`Unknown: ${unknownSentence(result)}`);
    return 4;
  }
  if (insteadOf !== undefined) tell(`Warning: ${insteadOfSentence(insteadOf, result)}`);
  for (const { mirror, observation } of choice.probed)
    if (observation.code !== "ok") tell(`${mirror.url} is left out: ${codeSentences[observation.code]}`);
  const text = format === "json" ? "" : textOf(choice, format, canonical, setting);
  if (text !== "") setting.print(text);
  if (choice.mirror !== undefined) return 0;
  tell(`No mirror of ${target} is reachable.`);
  return 1;
}

const noCanonical =
  "Name the url that git is to be led away from with --canonical; it is not taken from the feed.";

async function choose(
  result: PickResult,
  { exclude = [], canonical, verify = false, kind, timeoutMs, allowPrivate = false }: PickOptions,
  setting: Setting,
): Promise<Choice> {
  const all = "mirrors" in result ? result.mirrors : [];
  const mirrors = all.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
  const named = canonical ?? all.find(({ primary }) => primary === true)?.url;
  const [best] = mirrors;
  if (!verify)
    return { mirror: best?.status === 1 ? best : undefined, mirrors, probed: [], canonical: named };
  // Also those the feed calls offline: what is seen from here is newer.
  const probed = await probeUntilGood(mirrors, { kind, timeoutMs, allowPrivate }, setting);
  const good = probed.find(({ observation }) => observation.code === "ok");
  return { mirror: good?.mirror, mirrors: reorder(mirrors, probed), probed, canonical: named };
}

function choiceJson(
  url: string,
  target: string,
  { result, insteadOf }: Asked<PickResult>,
  { mirror, mirrors, probed, canonical }: Choice,
): string {
  const head = { url, target, instead_of: insteadOf };
  if (!("mirrors" in result)) return safeJson({ ...head, ...result, cause: undefined });
  const outcome = mirror === undefined ? "unreachable" : "reachable";
  const seen = probed.map(({ mirror: { url: of }, observation }) => ({ url: of, ...observation }));
  const probes = seen.length === 0 ? undefined : seen;
  return safeJson({ ...head, ...result, outcome, mirror, mirrors, canonical, probes });
}

function textOf(
  { mirror, mirrors }: Choice,
  format: Exclude<PickOptions["format"], "json">,
  canonical: string | undefined,
  { environment }: Setting,
): string {
  if (format === "list") return mirrors.map(({ url }) => url).join("\n");
  if (format === "env") return variables(mirror, mirrors, canonical, environment);
  if (mirror === undefined) return "";
  if (format === "url") return mirror.url;
  if (canonical !== undefined) return gitSetting(mirror.url, canonical);
  throw new InputError(noCanonical);
}

/** Lines as $GITHUB_ENV, $GITHUB_OUTPUT and `export` take them: no value holds a line break. */
function variables(
  mirror: Mirror | undefined,
  mirrors: readonly Mirror[],
  canonical: string | undefined,
  environment: Setting["environment"],
): string {
  const pairs = [
    ["MIRRORFEED_COUNT", String(mirrors.filter(({ status }) => status === 1).length)],
    ...(mirror === undefined ? [] : [["MIRRORFEED_URL", mirror.url]]),
    ...(mirror === undefined || canonical === undefined
      ? []
      : gitVariables(mirror.url, canonical, environment)),
  ];
  return pairs.map(([name = "", value = ""]) => `${name}=${value}`).join("\n");
}
