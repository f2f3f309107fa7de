import { nameProblem } from "../text/name.ts";
import { configSchema } from "../config/schema.ts";
import { defaultKind, kinds } from "../kinds/kinds.ts";
import { urlProblem, urlKey } from "../text/url.ts";
import { InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { parseSchedule, type Schedule, scheduleProblem } from "./schedule.ts";
import { siteUrlProblem } from "../text/url.ts";
import type { Host } from "../hosts/host.ts";
import { defaultHost, findHost, hostNames } from "../hosts/registry.ts";

/** The options of mirrorfeed init that are answers, as texts. */
export interface InitFlags {
  readonly mirror?: readonly string[] | undefined;
  readonly system?: string | undefined;
  readonly project?: string | undefined;
  readonly target?: string | undefined;
  readonly host?: string | undefined;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly schedule?: string | undefined;
  /** The mirror that the others copy. */
  readonly primary?: string | undefined;
  readonly control?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** What a new feed is made from. */
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

export const defaults = { host: defaultHost.name, schedule: "30m" } as const;

type Problem = string | undefined;

/** What is wrong with each answer, or undefined: the same for flags and for questions. */
export const problemOf: Readonly<
  Record<
    Exclude<keyof InitFlags, "mirror" | "primary" | "control" | "allowPrivate">,
    (text: string) => Problem
  >
> = {
  system: nameProblem,
  project: nameProblem,
  target: nameProblem,
  host: (name) =>
    findHost(name) !== undefined
      ? undefined
      : `${quote(name)} is not a host; choose one of ${hostNames.join(", ")}`,
  url: siteUrlProblem,
  title: (title) => configSchema.shape.site.safeParse({ title }).error?.issues[0]?.message,
  schedule: scheduleProblem,
};

/** What is wrong with the url of a mirror beside those before it, or undefined. */
export function mirrorProblem(text: string, before: readonly string[]): Problem {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const ofKind = kinds[defaultKind].urlProblem?.(text);
  if (ofKind !== undefined) return `${quote(text)} cannot be a mirror: ${ofKind}`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

/** What is wrong with the URL of a control, or undefined. */
export function controlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined || text.startsWith("https:")) return problem;
  return `${quote(text)} is plain http, which the login page of a network answers too; write it with https`;
}

/** Throws InputError that tells every fault of the flags, a line each. */
export function refuseProblems({ mirror = [], control = [], ...flags }: InitFlags): void {
  const problems = mirror.map(
    (url, index) => ["mirror", mirrorProblem(url, mirror.slice(0, index))] as const,
  );
  const others = Object.entries(flags).flatMap(([flag, text]) =>
    isKeyOf(problemOf, flag) && typeof text === "string" ? [[flag, problemOf[flag](text)] as const] : [],
  );
  const controls = control.map((url) => ["control", controlProblem(url)] as const);
  const lines = [...problems, ...others, ...controls].flatMap(([flag, fault]) =>
    fault === undefined ? [] : [`--${flag}: ${fault}.`],
  );
  if (lines.length > 0) throw new InputError(lines.join("\n"));
}

/** The answers in flags that are right. Throws InputError, with `why` as its start, where some are missing. */
export function parseAnswers(flags: InitFlags, why: string): Answers {
  const { mirror = [], system, project, target, host = defaults.host, url, title } = flags;
  const schedule = parseSchedule(flags.schedule ?? defaults.schedule);
  const known = findHost(host);
  if (schedule === undefined || known === undefined) throw new Error("The flags were not checked.");
  if (mirror.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = { mirror: mirror[0], system, project, target };
    const missing = Object.entries(required).flatMap(([flag, text]) =>
      text === undefined ? [`--${flag}`] : [],
    );
    throw new InputError(`${why}; give ${sentenceList(missing)}.`);
  }
  const primary = mirror.find((one) => flags.primary !== undefined && urlKey(one) === urlKey(flags.primary));
  if (flags.primary !== undefined && primary === undefined)
    throw new InputError(`--primary: ${quote(flags.primary)} is none of the mirrors; name one of them.`);
  const { control = [], allowPrivate = false } = flags;
  return {
    ...{ mirrors: mirror, system, project, target, host: known, url, title, schedule },
    ...{ primary, control, allowPrivate },
  };
}

/** Things as people list them: `a, b and c`. */
export function sentenceList(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}
