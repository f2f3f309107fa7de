import { siteUrlFault } from "../../config/base-path.ts";
import { nameFault } from "../../config/name.ts";
import { configSchema, type HostName, hostNames } from "../../config/schema.ts";
import { hasQuery, urlFault, urlKey } from "../../config/url.ts";
import { InputError } from "../../errors.ts";
import { quote } from "../../quote.ts";
import { readSchedule, type Schedule, scheduleFault } from "./schedule.ts";

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
}

/** What a new feed is made from. */
export interface Answers {
  readonly mirrors: readonly string[];
  readonly system: string;
  readonly project: string;
  readonly target: string;
  readonly host: HostName;
  readonly url: string | undefined;
  readonly title: string | undefined;
  readonly schedule: Schedule;
}

export const defaults = { host: "github-pages", schedule: "30m" } as const;

type Fault = string | undefined;

/** What is wrong with each answer, or undefined: the same for flags and for questions. */
export const faultOf: Readonly<Record<Exclude<keyof InitFlags, "mirror">, (text: string) => Fault>> = {
  system: nameFault,
  project: nameFault,
  target: nameFault,
  host: (name) =>
    hostNames.some((one) => one === name)
      ? undefined
      : `${quote(name)} is no host; choose one of ${hostNames.join(", ")}`,
  url: siteUrlFault,
  title: (title) => configSchema.shape.site.safeParse({ title }).error?.issues[0]?.message,
  schedule: scheduleFault,
};

/** What is wrong with the url of a mirror beside those before it, or undefined. */
export function mirrorFault(text: string, before: readonly string[]): Fault {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  if (hasQuery(text))
    return `${quote(text)} has a query, and a git repository has none; remove it from the ? on`;
  const isKnown = before.some((other) => urlKey(other) === urlKey(text));
  return isKnown ? `${quote(text)} is given twice; leave one out` : undefined;
}

/** Throws InputError that tells every fault of the flags, a line each. */
export function refuseFaults({ mirror = [], ...flags }: InitFlags): void {
  const faults = mirror.map((url, index) => ["mirror", mirrorFault(url, mirror.slice(0, index))] as const);
  const others = Object.entries(flags).flatMap(([flag, text]) =>
    isKeyOf(faultOf, flag) && text !== undefined ? [[flag, faultOf[flag](text)] as const] : [],
  );
  const lines = [...faults, ...others].flatMap(([flag, fault]) =>
    fault === undefined ? [] : [`--${flag}: ${fault}.`],
  );
  if (lines.length > 0) throw new InputError(lines.join("\n"));
}

/** The answers in flags that are right. Throws InputError, with `why` as its start, where some are missing. */
export function readAnswers(flags: InitFlags, why: string): Answers {
  const { mirror = [], system, project, target, host = defaults.host, url, title } = flags;
  const schedule = readSchedule(flags.schedule ?? defaults.schedule);
  const known = hostNames.find((one) => one === host);
  if (schedule === undefined || known === undefined) throw new Error("The flags were not checked.");
  if (mirror.length === 0 || system === undefined || project === undefined || target === undefined) {
    const required = { mirror: mirror[0], system, project, target };
    const missing = Object.entries(required).flatMap(([flag, text]) =>
      text === undefined ? [`--${flag}`] : [],
    );
    throw new InputError(`${why}; give ${sentenceList(missing)}.`);
  }
  return { mirrors: mirror, system, project, target, host: known, url, title, schedule };
}

/** Things as people list them: `a, b and c`. */
export function sentenceList(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

function isKeyOf<Keyed extends object>(keyed: Keyed, key: PropertyKey): key is keyof Keyed {
  return Object.hasOwn(keyed, key);
}
