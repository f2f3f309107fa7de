import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { kill, platform } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, InputError } from "./errors.ts";
import { gitEnvironment } from "./git-environment.ts";
import { basicCredentials, type Environment, readRemote, type Remote, tokenFor } from "./git-remote.ts";
import { quote } from "./quote.ts";

/** How a git is run. */
export interface GitOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** The folder to work from, instead of the working directory. */
  readonly folder?: string | undefined;
  /** The repository to work in, instead of the one that holds the folder. */
  readonly repository?: string | undefined;
  /** The remote it talks to, for which it gets the token, if there is one. */
  readonly remote?: Remote | undefined;
  readonly input?: string | undefined;
  /** How long it may take. */
  readonly timeoutMs?: number | undefined;
  /** How much it may print. */
  readonly mostBytes?: number | undefined;
}

/** How a git ended; `complaint` is the beginning of what it wrote to stderr, rid of the token. */
export interface GitEnd {
  readonly exitCode: number;
  readonly output: Buffer;
  readonly complaint: string;
}

const mostComplaint = 64 * 1024;
const patienceMs = 1000;

/** On POSIX git leads a group of its own: without a terminal to ask on, and ended as one with its helpers. */
const hasGroup = platform !== "win32";

/**
 * Runs git without the user's configuration, and gives how it ended: an exit code is a value. A token is in its
 * environment alone. Throws the reason of the signal where that is aborted, and InputError where git is missing, takes
 * too long or prints too much.
 */
export async function runGit(parameters: readonly string[], options: GitOptions): Promise<GitEnd> {
  const { signal, folder, remote, timeoutMs = 120_000, mostBytes = 1024 * 1024 } = options;
  signal.throwIfAborted();
  const token = remote && tokenFor(remote, options.environment);
  const credentials = token === undefined ? undefined : basicCredentials(token);
  const place = folder === undefined ? [] : ["-C", folder];
  const env = gitEnvironment(options.environment, options.repository, remote?.origin, credentials);
  const child = spawn("git", [...place, ...parameters], { env, detached: hasGroup, windowsHide: true });
  const ending = new AbortController();
  const end = (reason: unknown): void => {
    ending.abort(reason);
    endGroup(child);
  };
  const interrupt = (): void => {
    end(signal.reason);
  };
  signal.addEventListener("abort", interrupt);
  const name = `git ${parameters[0] ?? ""}${remote === undefined ? "" : ` with ${quote(remote.address)}`}`;
  const timer = setTimeout(() => {
    end(new InputError(`${name} took longer than ${timeoutMs / 1000} s; check the network and run again.`));
  }, timeoutMs);
  // A git that ends before it has read everything tells why by its exit code.
  child.stdin.on("error", () => child.stdin.destroy());
  child.stdin.end(options.input ?? "");
  const output: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    output.push(chunk);
    size += chunk.length;
    if (size > mostBytes)
      end(new InputError(`${name} printed more than ${mostBytes} bytes; check the repository.`));
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, mostComplaint);
  });
  try {
    await ended(child);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
  ending.signal.throwIfAborted();
  return {
    exitCode: child.exitCode ?? killed,
    output: Buffer.concat(output),
    complaint: withoutSecrets(complaint, token, credentials),
  };
}

/** What the remote and git say of a failure, each in quotes, escaped and short. */
export function reasonOf({ exitCode, complaint }: GitEnd): string {
  const lines = complaint.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines.find((line) => /^remote: \S/.test(line));
  const own = lines.find((line) => /^(?:fatal|error): /.test(line));
  const said = [remote, own].filter((line) => line !== undefined).map(quote);
  return said.length === 0 ? `git ended with ${exitCode}` : said.join(" and ");
}

/** What git has printed, as a line. */
export function lineOf({ output }: GitEnd): string {
  return output.toString().replace(/\r?\n$/, "");
}

/**
 * The `origin` of the repository that holds a folder. Throws InputError, with `remedy` as its end, where there is none,
 * and as `readRemote` and `runGit` do.
 */
export async function originOf(
  folder: string,
  remedy: string,
  options: Pick<GitOptions, "environment" | "signal">,
): Promise<Remote> {
  const url = await runGit(["remote", "get-url", "origin"], { ...options, folder });
  if (url.exitCode !== 0)
    throw new InputError(`${folder} is in no git repository with a remote named origin; ${remedy}.`);
  const top = await runGit(["rev-parse", "--show-toplevel"], { ...options, folder });
  return readRemote(lineOf(url), top.exitCode === 0 ? lineOf(top) : folder);
}

/** What git itself ends with when it must give up. */
const killed = 128;

function withoutSecrets(text: string, ...secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((one) => one !== undefined);
  return known.reduce((clean, one) => clean.replaceAll(one, "…"), text);
}

async function ended(child: ChildProcess): Promise<void> {
  try {
    await once(child, "exit");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new InputError(
      "git is needed, and there is none on the PATH; install it from https://git-scm.com.",
      {
        cause: error,
      },
    );
  }
  // ssh may leave a connection open for the next time, which holds our pipes: git has ended all the same.
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null).filter((pipe) => !pipe.closed);
  await Promise.race([
    Promise.all(pipes.map((pipe) => once(pipe, "close"))),
    sleep(patienceMs, undefined, { ref: false }),
  ]);
  for (const pipe of pipes) pipe.destroy();
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || !hasGroup) {
    child.kill("SIGKILL");
    return;
  }
  try {
    kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It has ended meanwhile.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
