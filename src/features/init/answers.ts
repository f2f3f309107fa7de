import { type Command, Option } from "@commander-js/extra-typings";
import { defaultKind, type KindName, kindNames, kinds, kindUrlProblem } from "../../core/kinds/kinds.ts";
import { urlKey, urlProblem } from "../../core/base/text/url.ts";
import { InputError } from "../../core/base/errors.ts";
import { formatList } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { type OptionsOf, repeated } from "../../core/command/command.ts";
import { defaultHost, hostNames } from "../../core/config/site-settings.ts";
import { hostOf } from "../hosts/host-registry.ts";

/**
 * The intervals that GitHub can keep, as cron expressions. Runs start seven minutes late, because GitHub is busiest at
 * minute 0.
 */
export const schedules: ReadonlyMap<string, string> = new Map([
  ["5m", "2,7,12,17,22,27,32,37,42,47,52,57 * * * *"],
  ["10m", "7,17,27,37,47,57 * * * *"],
  ["15m", "7,22,37,52 * * * *"],
  ["20m", "7,27,47 * * * *"],
  ["30m", "7,37 * * * *"],
  ["1h", "7 * * * *"],
  ["2h", "7 */2 * * *"],
  ["3h", "7 */3 * * *"],
  ["4h", "7 */4 * * *"],
  ["6h", "7 */6 * * *"],
  ["8h", "7 */8 * * *"],
  ["12h", "7 */12 * * *"],
  ["24h", "7 7 * * *"],
]);

/** Adds an option for each question of `mirrorfeed init`. */
export function addAnswerOptions(command: Command) {
  return command
    .addOption(
      new Option("--kind <kind>", "what the mirrors contain")
        .choices(kindNames)
        .default(undefined, defaultKind),
    )
    .option("--suite <suite>", `the suite of an apt archive, as in sources.list (default: ${defaultSuite})`)
    .option("--mirror <url>", "the URL of a mirror of the target (repeatable)", repeated)
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .addOption(
      new Option("--host <name>", "the host of the site").choices(hostNames).default(undefined, defaultHost),
    )
    .option("--url <url>", "the URL of the site, with its path")
    .option("--interval <time>", `how often to run, such as 15m or 6h (default: ${defaultInterval})`)
    .option("--primary <url>", "the mirror that the others copy (default: compare with the majority)")
    .option("--allow-private", "probe loopback, private and link-local addresses");
}

export type InitFlags = OptionsOf<typeof addAnswerOptions>;

export const defaultSuite = "stable";
export const defaultInterval = "30m";

export function suiteProblem(suite: string): string | undefined {
  return kinds.apt.options?.shape["suite"]?.safeParse(suite).error?.issues[0]?.message;
}

/** Returns the problem with a mirror's URL, or undefined. `before` contains the URLs of the mirrors given so far. */
export function mirrorProblem(text: string, before: readonly string[], kind: KindName): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const kindProblem = kindUrlProblem(kind, text);
  if (kindProblem !== undefined) return `${quote(text)} ${kindProblem}`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

/** What a new feed is created from. */
export type Answers = ReturnType<typeof parseAnswers>;

/** Turns flags into answers. Throws InputError if required flags are missing, or if flags do not fit together. */
export function parseAnswers(flags: InitFlags) {
  const { mirror: mirrors = [], system, project, target, suite, allowPrivate = false } = flags;
  const { kind = defaultKind, interval = defaultInterval, url } = flags;
  if (mirrors.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = Object.entries({ mirror: mirrors[0], system, project, target });
    const missing = required.flatMap(([flag, text]) => (text === undefined ? `--${flag}` : []));
    throw new InputError(
      `Without a terminal, and with --yes, nothing is asked; give ${formatList(missing, "and")}.`,
    );
  }
  const host = hostOf(flags.host ?? defaultHost);
  if (host.delivery.workflow !== undefined && !schedules.has(interval)) {
    const known = formatList([...schedules.keys()], "or");
    throw new InputError(
      `--interval: the workflow cannot run every ${quote(interval)}; write ${known}, or choose a host that needs no workflow.`,
    );
  }
  const primary = mirrors.find((one) => flags.primary !== undefined && urlKey(one) === urlKey(flags.primary));
  if (flags.primary !== undefined && primary === undefined)
    throw new InputError(`--primary: ${quote(flags.primary)} is not one of the mirrors; name one of them.`);
  return { kind, suite, mirrors, system, project, target, host, url, interval, primary, allowPrivate };
}
