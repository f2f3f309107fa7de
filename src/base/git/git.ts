import { type ChildProcessResult, type Environment, type Input, runChildProcess } from "./child-process.ts";
import { InputError } from "../errors.ts";
import { environmentOfUser, environmentWithoutUser, withSettings } from "./environment.ts";
import { type Access, accessTo, parseRemote, type Remote } from "./remote.ts";
import { quote } from "../text/quote.ts";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export interface GitOptions {
  readonly folder?: string | undefined;
  readonly repository?: string | undefined;
  readonly input?: Input | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The output holds no secret. Throws the reason of the signal, and InputError if Git is missing or takes too long. */
export type Git = (parameters: readonly string[], work?: GitOptions) => Promise<ChildProcessResult>;

/** The limits of each Git of a task. */
export interface Bounds {
  readonly signal: AbortSignal;
  /** How long it may print nothing. */
  readonly silenceMs?: number | undefined;
  /** How long it may take. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Returns a Git without the user's configuration. For a remote it has the token, in its environment alone. Throws
 * InputError if the token cannot be one.
 */
export function gitWithoutUser(environment: Environment, bounds: Bounds, remote?: Remote): Git {
  return gitFor(remote, environment, environmentWithoutUser(environment), bounds);
}

/** Returns a Git with the user's configuration. For a remote it has the token too. Throws as `gitWithoutUser` does. */
export function gitOfUser(environment: Environment, bounds: Bounds, remote?: Remote): Git {
  return gitFor(remote, environment, environmentOfUser(environment), bounds);
}

/**
 * Without a remote, Git reaches none: in a partial clone, to read an object would run the programs that its settings
 * name, and the clone may be another user's.
 */
function gitFor(
  remote: Remote | undefined,
  environment: Environment,
  kept: Environment,
  bounds: Bounds,
): Git {
  if (remote === undefined) return gitWith(withSettings({ ...kept, GIT_ALLOW_PROTOCOL: "none" }), bounds);
  const access = accessTo(remote, environment);
  return gitWith(withSettings(kept, access.settings), bounds, access);
}

/** Returns a Git with exactly these variables, which include those of `access`. */
export function gitWith(environment: Environment, bounds: Bounds, access?: Access): Git {
  const { signal, silenceMs, timeoutMs } = bounds;
  return async (parameters, { folder, repository, input, signal: ownSignal } = {}) => {
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
      signal: AbortSignal.any([signal, deadline, ownSignal].filter((one) => one !== undefined)),
      silenceMs,
    });
    try {
      return withoutSecrets(await running, access?.secrets ?? []);
    } catch (error) {
      if (timeoutMs === undefined || deadline?.aborted !== true || error !== deadline.reason) throw error;
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
    secrets.reduce((rest, one) => rest.replaceAll(one, "…"), text).replaceAll(/:\/\/[^/@\s]+@/g, "://");
  const output = ended.code === 0 ? ended.output : Buffer.from(hide(ended.output.toString()));
  return { ...ended, output, errorOutput: hide(ended.errorOutput) };
}

/** Throws InputError if Git failed: what failed, why, and the remedy. */
export function outputOf(ended: ChildProcessResult, failure: string, remedy?: string): Buffer {
  if (ended.code === 0) return ended.output;
  throw new InputError(`${failure}: ${reasonOf(ended)}${remedy === undefined ? "" : `; ${remedy}`}.`);
}

export function lineOf(output: Buffer): string {
  return output.toString().trimEnd();
}

/** Returns what the remote and Git said, each in quotes, escaped and short. */
export function reasonOf({ code, killedFor, output, errorOutput }: ChildProcessResult): string {
  if (killedFor === "silence") return "it printed nothing for too long";
  if (killedFor === "excess") return "it printed far too much";
  const lines = errorOutput.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines.filter((line) => /^remote: ./.test(line)).map((line) => line.slice("remote:".length));
  // `git push --porcelain` prints it to stdout.
  const rejected = /^!\t[^\t]*\t(?<summary>.*)$/m.exec(output.toString())?.groups?.["summary"];
  const own = rejected ?? lines.find((line) => /^(?:fatal|error): /.test(line));
  const theirs = remote.length === 0 ? undefined : `remote:${remote.slice(-3).join("")}`;
  const said = [theirs, own].filter((line) => line !== undefined);
  if (said.length === 0) said.push(...lines.filter((line) => line !== "").slice(-1));
  return said.length === 0 ? `git ended with ${code ?? "a signal"}` : said.map(quote).join(" and ");
}

/**
 * Returns the remote that the repository of a folder pushes to. Throws InputError if there is none. `option` names a remote
 * instead.
 */
export async function originOf(git: Git, folder: string, option: string): Promise<Remote> {
  const url = await git(["remote", "get-url", "--push", "origin"], { folder });
  if (url.code !== 0) {
    throw new InputError(
      `${folder} is not in a Git repository that has a remote named origin (${reasonOf(url)}); name the remote with ${option}.`,
    );
  }
  const top = await git(["rev-parse", "--show-toplevel"], { folder });
  return parseRemote(lineOf(url.output), top.code === 0 ? lineOf(top.output) : folder);
}

const intervalMs = 50;

/**
 * Runs a task that fetches into a repository. Aborts it and throws `excess` if it adds more than `maxBytes` to the packs.
 * Git has no option for that, and servers need not support its filters.
 */
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

/** Includes the packs that are being received. */
function packBytes(repository: string): number {
  const folder = join(repository, "objects", "pack");
  // It is missing until something was received.
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sizes = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
