import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../base/errors.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { missingUnit, parseDuration } from "../base/text/duration.ts";
import { quote } from "../base/text/quote.ts";
import { siteUrlProblem } from "../base/text/url.ts";
import { vantagePattern } from "../base/text/name.ts";

// The file of a command exports its notes, and `declare`, which adds its options and its action.

export interface Notes {
  /** Each shows something beyond the defaults. */
  readonly examples: readonly [string, string];
  /** The meaning of each exit code, besides those of every command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

/** Runs a command in the context of the process, which ends with its exit code. */
export type Execute = (action: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

export interface CommandFile {
  readonly notes: Notes;
  readonly declare: (command: Command, execute: Execute) => void;
}

/** The parsed options of a command, from the function that adds them. A flag may be false, as if it were not given. */
export type OptionsOf<
  AddOptions extends (command: Command) => { readonly opts: () => unknown },
  Options = ReturnType<ReturnType<AddOptions>["opts"]>,
> = {
  readonly [Name in keyof Options]:
    | Options[Name]
    | (undefined extends Options[Name] ? undefined : never)
    | (true extends Options[Name] ? false : never);
};

export function exitCodesOf({ exitCodes }: Notes): Readonly<Record<number, string>> {
  return { 0: "done", 2: "usage or configuration", ...exitCodes };
}

/** Returns the end of the help of a command: its examples and exit codes. */
export function renderNotes(notes: Notes): string {
  const lines = Object.entries(exitCodesOf(notes)).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`);
  return `\nExamples:\n${notes.examples.map((example) => `  ${example}`).join("\n")}\n\nExit codes:\n${lines.join("\n")}`;
}

export const offline = "this machine is offline, so nothing was decided";

/** The options of several commands, as arguments of commander's option(). */
export const sharedOptions = {
  config: ["--config <file>", "the mirrors and the settings", "mirrors.json"],
  out: ["--out <folder>", "the folder of the site", "_site"],
  state: [
    "--state <location>",
    "where the state is kept between runs: a file, or branch:NAME",
    ".mirrorfeed/state.json",
  ],
  stateRemote: ["--state-remote <url>", "the state branch's remote (default: origin)"],
  vantage: ["--vantage <name>", "the name of the location that the probes run from", parseVantage],
  siteUrl: [
    "--site-url <url>",
    "where the site is published (default: site.url of mirrors.json)",
    parseSiteUrl,
  ],
  json: ["--json", "print only JSON on stdout"],
  results: ["--results <file>", "write the observations to a file for mirrorfeed build"],
  runId: ["--run-id <id>", "the id of the run (default: a random one)", parseRunId],
  allowPrivate: ["--allow-private", "probe loopback, private and link-local addresses too"],
  dns: ["--dns <address>", "a name server to use; may be repeated (default: the system's)", repeated],
  notify: ["--notify", "send pending notifications after the run"],
  to: ["--to <target>", "the target, as system/project/target; missing levels are created"],
} as const;

// The parsers of values. They throw InputError.

/** Returns the values of an option so far with one more. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Returns a TCP port. 0 means any free one. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`${quote(text)} is not a port; a port is a number from 0 to 65535.`);
}

/** Returns the parser of a duration within bounds, which returns milliseconds. */
export function durationParser(minMs: number, maxMs: number, name: string, remedy: string) {
  return (text: string): number => {
    const ms = parseDuration(text);
    if (ms >= minMs && ms <= maxMs) return ms;
    throw new InputError(`${quote(text)} is not ${name}${missingUnit(text) ?? `; ${remedy}`}.`);
  };
}

export const parseTimeout = durationParser(
  100,
  300_000,
  "a duration",
  "write it as 500ms, 5s or 1m, from 100ms to 5m",
);

export function parseRunId(text: string): string {
  if (/^[\w.:@/+-]{1,200}$/.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not an id of a run; use 1 to 200 letters, digits or . _ : @ / + -.`,
  );
}

export function parseVantage(text: string): string {
  if (vantagePattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not a vantage; name it with 1 to 63 lower-case letters, digits or . _ -.`,
  );
}

/**
 * Returns the URL that a site is published at. It may be empty, because a workflow passes on the URL that its host
 * reports.
 */
export function parseSiteUrl(text: string): string {
  const problem = text === "" ? undefined : siteUrlProblem(text);
  if (problem === undefined) return text;
  throw new InputError(`--site-url: ${problem}.`);
}
