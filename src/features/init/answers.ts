import type { Command } from "@commander-js/extra-typings";
import { nameProblem } from "../../core/base/text/name.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import { defaultHost } from "../../core/config/host-names.ts";
import { defaultKind, isKindName, type KindName, kindNames, kinds } from "../../core/kinds/kinds.ts";
import { siteUrlProblem, urlKey, urlProblem } from "../../core/base/text/url.ts";
import { InputError } from "../../core/base/errors.ts";
import { formatList } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { intervalProblem } from "./cron-schedule.ts";
import { type OptionsOf, repeated } from "../../core/command/command.ts";
import type { Host } from "../hosts/host.ts";
import { findHost, hostOf, hostProblem } from "../hosts/host-registry.ts";

/** Adds an option for each question of `mirrorfeed init`. refuseInvalidFlags checks the values. */
export function addAnswerOptions(command: Command) {
  return command
    .option("--kind <kind>", `what the mirrors contain: ${kindNames.join(", ")} (default: ${defaultKind})`)
    .option(
      "--suite <suite>",
      `the suite of an apt archive, as in sources.list (default: ${defaultAnswers.suite})`,
    )
    .option("--mirror <url>", "the URL of a mirror of the target (repeatable)", repeated)
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .option("--host <name>", `the host of the site (default: ${defaultHost})`)
    .option("--url <url>", "the URL of the site, with its path")
    .option("--title <text>", "the title of the status page")
    .option("--interval <time>", `how often to run, such as 15m or 6h (default: ${defaultAnswers.interval})`)
    .option("--primary <url>", "the mirror that the others copy (default: compare with the majority)")
    .option(
      "--control <url>",
      "an HTTPS URL that isn't a mirror; if it answers, this machine is online (repeatable)",
      repeated,
    )
    .option("--allow-private", "probe loopback, private and link-local addresses");
}

export type InitFlags = OptionsOf<typeof addAnswerOptions>;

/** The checked answers that a new feed is created from. */
export interface Answers {
  readonly kind: KindName;
  readonly suite: string | undefined;
  readonly mirrors: readonly string[];
  readonly system: string;
  readonly project: string;
  readonly target: string;
  readonly host: Host;
  readonly url: string | undefined;
  readonly title: string | undefined;
  /** Such as 30m or 6h. */
  readonly interval: string;
  /** The URL of one of the mirrors. */
  readonly primary: string | undefined;
  readonly control: readonly string[];
  readonly allowPrivate: boolean;
}

export const defaultAnswers = { suite: "stable", host: defaultHost, interval: "30m" } as const;

type Problem = string | undefined;

/**
 * For each flag, a function that returns the problem with its value, or undefined. The questions check their answers
 * with the same functions.
 */
export const answerProblems: Readonly<
  Record<
    Exclude<keyof InitFlags, "mirror" | "primary" | "control" | "allowPrivate">,
    (text: string, flags: Pick<InitFlags, "host" | "kind">) => Problem
  >
> = {
  kind: (name) =>
    isKindName(name) ? undefined : `${quote(name)} is not a kind; choose one of ${kindNames.join(", ")}`,
  suite: (suite, { kind }) =>
    kind === "apt"
      ? kinds.apt.options?.shape["suite"]?.safeParse(suite).error?.issues[0]?.message
      : "only an apt archive has a suite; add --kind apt, or leave it out",
  system: nameProblem,
  project: nameProblem,
  target: nameProblem,
  host: (name) => (findHost(name) === undefined ? hostProblem(name) : undefined),
  url: siteUrlProblem,
  title: (title) => configSchema.shape.site.safeParse({ title }).error?.issues[0]?.message,
  interval: (text, { host }) => intervalProblem(text, findHost(host) ?? hostOf(defaultHost)),
};

/** Returns the problem with a mirror's URL, or undefined. `before` contains the URLs of the mirrors given so far. */
export function mirrorProblem(
  text: string,
  before: readonly string[],
  kind: string | undefined = defaultKind,
): Problem {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const kindProblem = isKindName(kind) ? kinds[kind].urlProblem?.(text) : undefined;
  if (kindProblem !== undefined) return `${quote(text)} ${kindProblem}`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

export function controlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined || text.startsWith("https:")) return problem;
  return `${quote(text)} is plain HTTP, which a captive portal could answer; write it with https`;
}

/** Throws one InputError with a line for each invalid flag. */
export function refuseInvalidFlags({ mirror = [], control = [], ...flags }: InitFlags): void {
  const mirrors = mirror.map(
    (url, index) => ["mirror", mirrorProblem(url, mirror.slice(0, index), flags.kind)] as const,
  );
  const others = Object.entries(flags).flatMap(([flag, text]) =>
    isKeyOf(answerProblems, flag) && typeof text === "string"
      ? [[flag, answerProblems[flag](text, flags)] as const]
      : [],
  );
  const controls = control.map((url) => ["control", controlProblem(url)] as const);
  const lines = [...mirrors, ...others, ...controls].flatMap(([flag, problem]) =>
    problem === undefined ? [] : [`--${flag}: ${problem}.`],
  );
  if (lines.length > 0) throw new InputError(lines);
}

/** Turns valid flags into answers. Throws InputError if required flags are missing; its message begins with `why`. */
export function parseAnswers(flags: InitFlags, why: string): Answers {
  const { mirror = [], system, project, target, url, title, suite } = flags;
  const { kind = defaultKind, host = defaultAnswers.host, interval = defaultAnswers.interval } = flags;
  const known = findHost(host);
  if (known === undefined || !isKindName(kind)) throw new Error("Check the flags first.");
  if (mirror.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = { mirror: mirror[0], system, project, target };
    const missing = Object.entries(required).flatMap(([flag, text]) =>
      text === undefined ? [`--${flag}`] : [],
    );
    throw new InputError(`${why}; give ${formatList(missing, "and")}.`);
  }
  const primary = mirror.find((one) => flags.primary !== undefined && urlKey(one) === urlKey(flags.primary));
  if (flags.primary !== undefined && primary === undefined)
    throw new InputError(`--primary: ${quote(flags.primary)} is not one of the mirrors; name one of them.`);
  const { control = [], allowPrivate = false } = flags;
  return {
    ...{ kind, suite, mirrors: mirror, system, project, target, host: known, url, title, interval },
    ...{ primary, control, allowPrivate },
  };
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}
