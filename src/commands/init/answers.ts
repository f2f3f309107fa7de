import { nameProblem } from "../../base/text/name.ts";
import { configSchema } from "../../config/schema.ts";
import { defaultKind, kinds } from "../../kinds/kinds.ts";
import { urlProblem, urlKey } from "../../base/text/url.ts";
import { InputError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { parseSchedule, type Schedule, scheduleProblem } from "./schedule.ts";
import { siteUrlProblem } from "../../base/text/url.ts";
import type { Host } from "../../hosts/host.ts";
import { defaultHost, findHost, hostProblem } from "../../hosts/registry.ts";

/** The options of `mirrorfeed init` that answer its questions, before they are checked. */
export interface InitFlags {
  readonly mirror?: readonly string[] | undefined;
  readonly system?: string | undefined;
  readonly project?: string | undefined;
  readonly target?: string | undefined;
  readonly host?: string | undefined;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly interval?: string | undefined;
  /** The mirror that the others copy. */
  readonly primary?: string | undefined;
  readonly control?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
}

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

/** Returns what is wrong with the URL of a control, or undefined. */
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
