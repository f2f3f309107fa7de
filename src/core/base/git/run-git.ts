import { type ChildProcessResult, type Environment, type Input, runChildProcess } from "./child-process.ts";
import { InputError } from "../errors.ts";
import { type Access, accessTo, parseRemote, type Remote } from "./remote.ts";
import { quote } from "../text/quote.ts";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { devNull } from "node:os";

/** How Git reaches a remote. Other variables could name a repository, or print what is sent. */
const reach = /^GIT_(?:SSH|SSL_|HTTP_|PROXY_|ALLOW_PROTOCOL$|EXEC_PATH$)/;
const configuration = /^GIT_(?:CONFIG_|ASKPASS$)/;
const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/** Keeps Git from prompting, tracing and translating its messages. */
const quiet: Environment = {
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
  LC_ALL: "C",
  LANGUAGE: "",
};

/** Returns an environment in which Git ignores the user's settings, except for how to reach a remote. */
export function environmentWithoutUser(environment: Environment): Environment {
  const kept = only(environment, (name) => reach.test(name));
  return {
    // Keeps ssh from asking for a password. Left out if GIT_SSH is set, because GIT_SSH_COMMAND would override it.
    GIT_SSH_COMMAND: kept["GIT_SSH"] === undefined ? "ssh -oBatchMode=yes" : undefined,
    ...kept,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DEFAULT_HASH: "sha1",
    // If this variable were unset, Git would run SSH_ASKPASS instead.
    GIT_ASKPASS: "",
    ...quiet,
  };
}

/** Returns an environment in which Git has the user's configuration, keys, helpers and proxies, but no tokens. */
export function environmentOfUser(environment: Environment): Environment {
  return { ...only(environment, (name) => reach.test(name) || configuration.test(name)), ...quiet };
}

/** Settings for every Git process that mirrorfeed starts, named as in git-config(1). */
const commonSettings = {
  // A temporary repository needs neither background maintenance nor protection from power failures.
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.fsync": "none",
  // Writing a few packs is faster than writing many files.
  "transfer.unpackLimit": "1",
  "fastimport.unpackLimit": "0",
  "core.hooksPath": devNull,
  "color.ui": "false",
  "color.remote": "false",
  "push.gpgSign": "false",
  "push.followTags": "false",
  // In a container, the checkout often belongs to a different user, and Git would refuse to use it.
  "safe.directory": "*",
};

/** Adds mirrorfeed's Git settings and those in `more` to an environment, where Git reads them. */
export function withSettings(environment: Environment, more: Readonly<Record<string, string>> = {}) {
  const first = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const settings = Object.entries({ ...commonSettings, ...more });
  const added = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...environment, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** Returns an environment without tokens. Of Git's own variables, it keeps only those that `isChosen` accepts. */
function only(environment: Environment, isChosen: (name: string) => boolean): Environment {
  const isKept = (name: string): boolean =>
    !secret.test(name) && (!name.startsWith("GIT_") || isChosen(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}

interface GitOptions {
  readonly folder?: string | undefined;
  readonly repository?: string | undefined;
  readonly input?: Input | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Bounds {
  readonly signal: AbortSignal;
  /** How long a command may print nothing. */
  readonly silenceMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Runs Git without the user's configuration. Git gets the token for `remote` through its environment. */
export const gitWithoutUser = gitIn(environmentWithoutUser);

/** Runs Git with the user's configuration. Git also gets the token for `remote`. */
export const gitOfUser = gitIn(environmentOfUser);

/**
 * Without `remote`, Git must not connect to anything: in a partial clone, reading an object could make Git fetch it and
 * run programs that the clone's settings name.
 */
function gitIn(keep: (environment: Environment) => Environment) {
  return (environment: Environment, bounds: Bounds, remote?: Remote): Git => {
    const kept = keep(environment);
    if (remote === undefined) return gitWith(withSettings({ ...kept, GIT_ALLOW_PROTOCOL: "none" }), bounds);
    const access = accessTo(remote, environment);
    return gitWith(withSettings(kept, access.settings), bounds, access);
  };
}

export type Git = ReturnType<typeof gitWith>;

/** Removes secrets from the output. Throws the signal's reason, or InputError if Git is missing or slow. */
export function gitWith(environment: Environment, bounds: Bounds, access?: Access) {
  const { signal, silenceMs, timeoutMs } = bounds;
  return async (parameters: readonly string[], options: GitOptions = {}): Promise<ChildProcessResult> => {
    const { folder, repository, input, signal: ownSignal } = options;
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const location = [
      ...(folder === undefined ? [] : ["-C", folder]),
      ...(repository === undefined ? [] : [`--git-dir=${repository}`]),
    ];
    const running = runChildProcess({
      program: "git",
      homepage: "https://git-scm.com",
      parameters: [...location, ...parameters],
      environment,
      input,
      signal: AbortSignal.any([signal, deadline, ownSignal].filter((each) => each !== undefined)),
      silenceMs,
    });
    try {
      return withoutSecrets(await running, access?.secrets ?? []);
    } catch (error) {
      if (timeoutMs === undefined || error !== deadline?.reason) throw error;
      const name = `git ${parameters[0] ?? ""}${access === undefined ? "" : ` with ${quote(access.address)}`}`;
      throw new InputError(
        `${name} took longer than ${timeoutMs / 1000} s; check the network and run again.`,
        { cause: error },
      );
    }
  };
}

/** If Git fails, its output may repeat what was sent to the remote or what the user configured. */
function withoutSecrets(ended: ChildProcessResult, secrets: readonly string[]): ChildProcessResult {
  const hide = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text).replaceAll(/:\/\/[^/@\s]+@/g, "://");
  const output = ended.code === 0 ? ended.output : Buffer.from(hide(ended.output.toString()));
  return { ...ended, output, errorOutput: hide(ended.errorOutput) };
}

/** If Git failed, throws InputError with `failure`, the reason and the remedy. */
export function outputOf(ended: ChildProcessResult, failure: string, remedy?: string): Buffer {
  if (ended.code === 0) return ended.output;
  throw new InputError(`${failure}: ${reasonOf(ended)}${remedy === undefined ? "" : `; ${remedy}`}.`);
}

export function lineOf(output: Buffer): string {
  return output.toString().trimEnd();
}

/** Returns the messages of the remote and of Git, each quoted and truncated. */
export function reasonOf({ code, killedFor, output, errorOutput }: ChildProcessResult): string {
  if (killedFor === "silence") return "git printed nothing for too long";
  if (killedFor === "excess") return "git printed far too much";
  const lines = errorOutput.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines.filter((line) => /^remote: ./.test(line)).map((line) => line.slice("remote:".length));
  // `git push --porcelain` prints the rejection to stdout.
  const rejected = /^!\t[^\t]*\t(?<summary>.*)$/m.exec(output.toString())?.groups?.["summary"];
  const gitLine = rejected ?? lines.find((line) => /^(?:fatal|error): /.test(line));
  const remoteLine = remote.length === 0 ? undefined : `remote:${remote.slice(-3).join("")}`;
  const messages = [remoteLine, gitLine].filter((line) => line !== undefined);
  if (messages.length === 0) messages.push(...lines.filter((line) => line !== "").slice(-1));
  if (messages.length > 0) return messages.map(quote).join(" and ");
  return typeof code === "number" ? `git ended with exit code ${code}` : "a signal ended git";
}

/** Returns the remote `given`, or `origin` of the folder, to push to. Throws InputError, which may suggest `option`. */
export async function findRemote(given: string | undefined, git: Git, folder: string, option: string) {
  if (given !== undefined) return parseRemote(given);
  const url = await git(["remote", "get-url", "--push", "origin"], { folder });
  if (url.code !== 0) {
    throw new InputError(
      `${folder} is not in a Git repository with a remote named origin (${reasonOf(url)}); name the remote with ${option}.`,
    );
  }
  const top = await git(["rev-parse", "--show-toplevel"], { folder });
  return parseRemote(lineOf(url.output), top.code === 0 ? lineOf(top.output) : folder);
}

const intervalMs = 50;

/** Stops a fetch that adds more than `maxBytes` to the packs, and throws `excess`. Git has no option for this. */
export async function withPackLimit<Result>(
  repository: string,
  maxBytes: number,
  excess: Error,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const before = packBytes(repository);
  const check = (): void => {
    if (packBytes(repository) - before > maxBytes) controller.abort(excess);
  };
  const timer = setInterval(check, intervalMs);
  try {
    const result = await task(controller.signal);
    check();
    controller.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Includes packs that are still being received. */
function packBytes(repository: string): number {
  const folder = join(repository, "objects", "pack");
  // The folder is missing until something has been received.
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sizes = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
