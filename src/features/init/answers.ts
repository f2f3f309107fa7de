import { type Command, Option } from "@commander-js/extra-typings";
import { nameProblem } from "../../core/base/text/name.ts";
import { defaultKind, type KindName, kindNames, kinds } from "../../core/kinds/kinds.ts";
import { siteUrlProblem, urlKey, urlProblem } from "../../core/base/text/url.ts";
import { InputError } from "../../core/base/errors.ts";
import { formatList } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { intervalProblem } from "./cron-schedule.ts";
import type { OptionsOf } from "../../core/command/command.ts";
import { defaultHost, hostNames } from "../../core/config/site-settings.ts";
import { hostOf } from "../hosts/host-registry.ts";

/** Adds an option for each question of `mirrorfeed init`. */
export function addAnswerOptions(command: Command) {
  return command
    .addOption(
      new Option("--kind <kind>", "what the mirrors contain")
        .choices(kindNames)
        .default(undefined, defaultKind),
    )
    .option("--suite <suite>", `the suite of an apt archive, as in sources.list (default: ${defaultSuite})`)
    .option("--mirror <url>", "the URL of a mirror of the target (repeatable)", repeated("mirror"))
    .option("--system <name>", "the name of the system", checked("system", nameProblem))
    .option("--project <name>", "the name of the project", checked("project", nameProblem))
    .option("--target <name>", "the name of the target", checked("target", nameProblem))
    .addOption(
      new Option("--host <name>", "the host of the site").choices(hostNames).default(undefined, defaultHost),
    )
    .option("--url <url>", "the URL of the site, with its path", checked("url", siteUrlProblem))
    .option("--title <text>", "the title of the status page")
    .option("--interval <time>", `how often to run, such as 15m or 6h (default: ${defaultInterval})`)
    .option("--primary <url>", "the mirror that the others copy (default: compare with the majority)")
    .option(
      "--control <url>",
      "an HTTPS URL that isn't a mirror; if it answers, this machine is online (repeatable)",
      repeated("control"),
    )
    .option("--allow-private", "probe loopback, private and link-local addresses");
}

export type InitFlags = OptionsOf<typeof addAnswerOptions>;

export const defaultSuite = "stable";
export const defaultInterval = "30m";

/** Returns an option's parser, which throws InputError if the value has a problem. */
function checked(flag: string, problemOf: (text: string) => string | undefined) {
  return (text: string): string => {
    const problem = problemOf(text);
    if (problem === undefined) return text;
    throw new InputError(`--${flag}: ${problem}.`);
  };
}

/** Returns the parser of a repeatable option for URLs. */
function repeated(flag: string) {
  const parse = checked(flag, urlProblem);
  return (text: string, before: readonly string[] = []): string[] => [...before, parse(text)];
}

export function suiteProblem(suite: string): string | undefined {
  return kinds.apt.options?.shape["suite"]?.safeParse(suite).error?.issues[0]?.message;
}

/** Returns the problem with a mirror's URL, or undefined. `before` contains the URLs of the mirrors given so far. */
export function mirrorProblem(text: string, before: readonly string[], kind: KindName): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const kindProblem = kinds[kind].urlProblem?.(text);
  if (kindProblem !== undefined) return `${quote(text)} ${kindProblem}`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

/** What a new feed is created from. */
export type Answers = ReturnType<typeof parseAnswers>;

/** Turns flags into answers. Throws InputError if required flags are missing, or if flags do not fit together. */
export function parseAnswers(flags: InitFlags) {
  const { mirror: mirrors = [], system, project, target, suite, control = [], allowPrivate = false } = flags;
  const { kind = defaultKind, interval = defaultInterval, url, title } = flags;
  if (mirrors.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = { mirror: mirrors[0], system, project, target };
    const missing = Object.entries(required).flatMap(([flag, text]) =>
      text === undefined ? `--${flag}` : [],
    );
    throw new InputError(
      `Without a terminal, and with --yes, nothing is asked; give ${formatList(missing, "and")}.`,
    );
  }
  if (suite !== undefined && kind !== "apt")
    throw new InputError("--suite: only an apt archive has a suite; add --kind apt, or leave it out.");
  const host = hostOf(flags.host ?? defaultHost);
  const problem = intervalProblem(interval, host);
  if (problem !== undefined) throw new InputError(`--interval: ${problem}.`);
  const primary = mirrors.find((one) => flags.primary !== undefined && urlKey(one) === urlKey(flags.primary));
  if (flags.primary !== undefined && primary === undefined)
    throw new InputError(`--primary: ${quote(flags.primary)} is not one of the mirrors; name one of them.`);
  return {
    ...{ kind, suite, mirrors, system, project, target, host, url, title, interval },
    ...{ primary, control, allowPrivate },
  };
}
