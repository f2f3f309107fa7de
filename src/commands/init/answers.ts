import type { Command } from "@commander-js/extra-typings";
import { nameProblem } from "../../base/text/name.ts";
import { configSchema } from "../../config/schema.ts";
import { defaultKind, kinds } from "../../kinds/kinds.ts";
import { siteUrlProblem, urlKey, urlProblem } from "../../base/text/url.ts";
import { InputError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { type OptionsOf, repeated } from "../command.ts";
import type { Host } from "../../hosts/host.ts";
import { defaultHost, findHost, hostProblem } from "../../hosts/registry.ts";

/** Adds the options of `mirrorfeed init` that answer its questions. They are checked by refuseInvalidFlags. */
export function addAnswerOptions(command: Command) {
  return command
    .option("--mirror <url>", "the URL of a mirror; repeat it for others of the same target", repeated)
    .option("--system <name>", "the name of the system")
    .option("--project <name>", "the name of the project")
    .option("--target <name>", "the name of the target")
    .option("--host <name>", `the host of the site (default: ${defaultHost.name})`)
    .option("--url <url>", "the URL of the site, with its path")
    .option("--title <text>", "the title of the status page")
    .option("--interval <time>", "the interval of the runs, such as 15m or 6h (default: 30m)")
    .option("--primary <url>", "the mirror that the others copy")
    .option(
      "--control <url>",
      "an HTTPS URL other than a mirror, whose answer proves that the prober is online; may be repeated",
      repeated,
    )
    .option("--allow-private", "probe loopback, private and link-local addresses");
}

export type InitFlags = OptionsOf<typeof addAnswerOptions>;

/** The checked answers that a new feed is created from. */
export interface Answers {
  readonly mirrors: readonly string[];
  readonly system: string;
  readonly project: string;
  readonly target: string;
  readonly host: Host;
  readonly url: string | undefined;
  readonly title: string | undefined;
  readonly schedule: Schedule;
  /** One of the mirrors. */
  readonly primary: string | undefined;
  readonly control: readonly string[];
  readonly allowPrivate: boolean;
}

export const defaultAnswers = { host: defaultHost.name, interval: "30m" } as const;

type Problem = string | undefined;

/** For flags and for questions: functions that return what is wrong with an answer, or undefined. */
export const answerProblems: Readonly<
  Record<
    Exclude<keyof InitFlags, "mirror" | "primary" | "control" | "allowPrivate">,
    (text: string) => Problem
  >
> = {
  system: nameProblem,
  project: nameProblem,
  target: nameProblem,
  host: (name) => (findHost(name) === undefined ? hostProblem(name) : undefined),
  url: siteUrlProblem,
  title: (title) => configSchema.shape.site.safeParse({ title }).error?.issues[0]?.message,
  interval: scheduleProblem,
};

/** Returns what is wrong with the URL of a mirror, or undefined. `before` are the mirrors that were given before it. */
export function mirrorProblem(text: string, before: readonly string[]): Problem {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const kindProblem = kinds[defaultKind].urlProblem?.(text);
  if (kindProblem !== undefined) return `${quote(text)} cannot be a mirror: ${kindProblem}`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

export function controlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined || text.startsWith("https:")) return problem;
  return `${quote(text)} is plain HTTP, which the login page of a network answers too; write it with https`;
}

/** Throws one InputError with a line for each problem of the flags. */
export function refuseInvalidFlags({ mirror = [], control = [], ...flags }: InitFlags): void {
  const mirrors = mirror.map((url, index) => ["mirror", mirrorProblem(url, mirror.slice(0, index))] as const);
  const others = Object.entries(flags).flatMap(([flag, text]) =>
    isKeyOf(answerProblems, flag) && typeof text === "string"
      ? [[flag, answerProblems[flag](text)] as const]
      : [],
  );
  const controls = control.map((url) => ["control", controlProblem(url)] as const);
  const lines = [...mirrors, ...others, ...controls].flatMap(([flag, problem]) =>
    problem === undefined ? [] : [`--${flag}: ${problem}.`],
  );
  if (lines.length > 0) throw new InputError(lines.join("\n"));
}

/** Returns the answers in flags that are valid. Throws InputError if some are missing; it begins with `why`. */
export function parseAnswers(flags: InitFlags, why: string): Answers {
  const { mirror = [], system, project, target, host = defaultAnswers.host, url, title } = flags;
  const schedule = parseSchedule(flags.interval ?? defaultAnswers.interval);
  const known = findHost(host);
  if (schedule === undefined || known === undefined) throw new Error("The flags were not checked.");
  if (mirror.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = { mirror: mirror[0], system, project, target };
    const missing = Object.entries(required).flatMap(([flag, text]) =>
      text === undefined ? [`--${flag}`] : [],
    );
    throw new InputError(`${why}; give ${joinWithAnd(missing)}.`);
  }
  const primary = mirror.find((one) => flags.primary !== undefined && urlKey(one) === urlKey(flags.primary));
  if (flags.primary !== undefined && primary === undefined)
    throw new InputError(`--primary: ${quote(flags.primary)} is not one of the mirrors; name one of them.`);
  const { control = [], allowPrivate = false } = flags;
  return {
    ...{ mirrors: mirror, system, project, target, host: known, url, title, schedule },
    ...{ primary, control, allowPrivate },
  };
}

/** Returns the items as a list in a sentence: `a, b and c`. */
export function joinWithAnd(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}

export interface Schedule {
  /** As options write it: 30m, 6h. */
  readonly text: string;
  readonly minutes: number;
  /** The same in the five fields of a POSIX crontab, as GitHub reads it. */
  readonly cron: string;
}

const hour = 60;
const day = 24 * hour;
/** Runs start at this minute, since GitHub is busy at the start of an hour and starts scheduled runs late. */
const startMinute = 7;
const minMinutes = 5;

/** Returns the schedule in a text such as 30m, or undefined if it divides neither an hour nor a day evenly. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, amount, unit] = /^([1-9]\d{0,2})([mh])$/.exec(text) ?? [];
  const minutes = Number(amount) * (unit === "h" ? hour : 1);
  const isRegular = minutes < hour ? hour % minutes === 0 : minutes % hour === 0 && day % minutes === 0;
  return minutes >= minMinutes && isRegular ? { text, minutes, cron: cronOf(minutes) } : undefined;
}

export function scheduleProblem(text: string): string | undefined {
  if (parseSchedule(text) !== undefined) return undefined;
  const withUnit = [`${text}m`, `${text}h`].filter((one) => parseSchedule(one) !== undefined);
  if (withUnit.length > 0) return `${quote(text)} has no unit; write ${withUnit.join(" or ")}`;
  return `${quote(text)} divides neither an hour nor a day evenly, or is less than five minutes; write 5m, 10m, 15m, 30m, 1h, 6h or 24h`;
}

function cronOf(minutes: number): string {
  if (minutes === hour) return `${startMinute} * * * *`;
  if (minutes === day) return `${startMinute} ${startMinute} * * *`;
  if (minutes > hour) return `${startMinute} */${minutes / hour} * * *`;
  const first = startMinute % minutes;
  const times = Array.from({ length: hour / minutes }, (_, index) => first + index * minutes);
  return `${times.join(",")} * * * *`;
}
