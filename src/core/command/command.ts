import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../base/errors.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { missingUnit, parseDuration } from "../base/text/time.ts";
import { quote } from "../base/text/quote.ts";
import { siteUrlProblem } from "../base/text/url.ts";
import { runIdPattern, vantagePattern } from "../base/text/name.ts";

export interface Notes {
  /** Examples of command lines that do more than the command's defaults. */
  readonly examples: readonly [string, string];
  /** Exit codes to add to the usual 0 and 2, or to describe differently. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

/** Runs a command's action, whose return value becomes the exit code of the process. */
export type Execute = (action: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

/** What a command's file exports, or returns from a function. `declare` adds the command's options and action. */
export interface CommandFile {
  readonly notes: Notes;
  readonly declare: (command: Command, execute: Execute) => void;
}

/** A command's parsed options, inferred from the function that adds them. A flag set to false counts as not given. */
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
  return { 0: "done", 2: "wrong usage or configuration", ...exitCodes };
}

export function renderNotes(notes: Notes): string {
  const lines = Object.entries(exitCodesOf(notes)).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`);
  return `\nExamples:\n${notes.examples.map((example) => `  ${example}`).join("\n")}\n\nExit codes:\n${lines.join("\n")}`;
}

export const offline = "this machine is offline, so nothing was decided";

export function parserFor(pattern: RegExp, description: string) {
  return (text: string): string => {
    if (pattern.test(text)) return text;
    throw new InputError(`${quote(text)} is not ${description}.`);
  };
}

export const parseRunId = parserFor(
  runIdPattern,
  "a valid run id; use 1 to 200 letters, digits or . _ : @ / + -",
);

export const parseVantage = parserFor(
  vantagePattern,
  "a valid location name; use 1 to 63 lower-case letters, digits or . _ -",
);

/** Options that several commands share, as arguments for commander's option(). */
export const sharedOptions = {
  config: ["--config <file>", "the file with the mirrors and settings", "mirrors.json"],
  out: ["--out <folder>", "the site's folder", "_site"],
  state: [
    "--state <location>",
    "where to keep the state between runs: a file, or branch:NAME",
    ".mirrorfeed/state.json",
  ],
  stateRemote: ["--state-remote <url>", "the state branch's remote (default: origin)"],
  vantage: ["--vantage <name>", "a name for the location that this machine probes from", parseVantage],
  siteUrl: [
    "--site-url <url>",
    "the URL of the published site (default: site.url in mirrors.json)",
    parseSiteUrl,
  ],
  json: ["--json", "print only JSON on stdout"],
  results: ["--results <file>", "save the results to a file for mirrorfeed build"],
  runId: ["--run-id <id>", "an id for the run (default: a random one)", parseRunId],
  allowPrivate: ["--allow-private", "probe loopback, private and link-local addresses too"],
  dns: ["--dns <address>", "a DNS server to use; may be repeated (default: the system's)", repeated],
  notify: ["--notify", "send pending notifications after the run"],
  to: ["--to <target>", "the target, as system/project/target; created if it does not exist"],
} as const;

// The parsers below throw InputError.

export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** 0 means any free port. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`${quote(text)} is not a port; write a number from 0 to 65535.`);
}

/** Returns a parser that checks these bounds and returns milliseconds. */
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
  "a valid duration",
  "write it as 500ms, 5s or 1m, from 100ms to 5m",
);

/** An empty text is allowed, because a workflow passes it if GitHub Pages is not enabled. */
export function parseSiteUrl(text: string): string {
  const problem = text === "" ? undefined : siteUrlProblem(text);
  if (problem === undefined) return text;
  throw new InputError(`--site-url: ${problem}.`);
}
