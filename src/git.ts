import { type Ended, type Environment, type Input, runChild } from "./child.ts";
import { InputError } from "./errors.ts";
import { environmentOfUser, environmentWithoutUser, withSettings } from "./git-environment.ts";
import { type Access, accessTo, readRemote, type Remote } from "./git-remote.ts";
import { quote } from "./quote.ts";

/** Where a git works, and what it reads. */
export interface Work {
  /** Instead of the working directory. */
  readonly folder?: string | undefined;
  /** Instead of the repository that holds the folder. */
  readonly repository?: string | undefined;
  readonly input?: Input | undefined;
}

/**
 * Runs git; an exit code is a value, and no secret is in what it says. Throws the reason of the signal where that is
 * aborted, and InputError where git is missing or takes too long.
 */
export type Git = (parameters: readonly string[], work?: Work) => Promise<Ended>;

/** What each git of a task may cost, and what ends it. */
export interface Bounds {
  readonly signal: AbortSignal;
  /** How long it may be silent. */
  readonly silenceMs?: number | undefined;
  /** How long it may take. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A git that knows nothing of the user, and commits as mirrorfeed. For a remote it has the token, in its environment
 * alone. Throws InputError for a token that no server can have given.
 */
export function gitWithoutUser(environment: Environment, bounds: Bounds, remote?: Remote): Git {
  const identity = {
    "user.name": "mirrorfeed",
    // No address of anybody's: hosts link commits to accounts by it (RFC 2606).
    "user.email": "mirrorfeed@mirrorfeed.invalid",
  };
  const access = remote && accessTo(remote, environment);
  const settings = { ...identity, ...access?.settings };
  return gitWith(withSettings(environmentWithoutUser(environment), settings), bounds, access);
}

/** A git as the user has configured it. For a remote it has the token too, and throws, as `gitWithoutUser` does. */
export function gitOfUser(environment: Environment, bounds: Bounds, remote?: Remote): Git {
  const access = remote && accessTo(remote, environment);
  return gitWith(withSettings(environmentOfUser(environment), access?.settings), bounds, access);
}

/** A git with exactly these variables; `access` is what they hold for a remote. */
export function gitWith(environment: Environment, bounds: Bounds, access?: Access): Git {
  const { signal, silenceMs, timeoutMs } = bounds;
  return async (parameters, { folder, repository, input } = {}) => {
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const place = [
      ...(folder === undefined ? [] : ["-C", folder]),
      ...(repository === undefined ? [] : [`--git-dir=${repository}`]),
    ];
    const running = runChild({
      program: "git",
      homepage: "https://git-scm.com",
      parameters: [...place, ...parameters],
      environment,
      input,
      signal: deadline === undefined ? signal : AbortSignal.any([signal, deadline]),
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

/** Where git fails a remote may have repeated what it was sent, and git what the user has configured. */
function withoutSecrets(ended: Ended, secrets: readonly string[]): Ended {
  const hide = (text: string): string =>
    secrets.reduce((rest, one) => rest.replaceAll(one, "…"), text).replaceAll(/:\/\/[^/@\s]+@/g, "://");
  const output = ended.code === 0 ? ended.output : Buffer.from(hide(ended.output.toString()));
  return { ...ended, output, complaint: hide(ended.complaint) };
}

/** What git printed. Throws InputError where it failed: what failed, why, and the remedy if there is one. */
export function outputOf(ended: Ended, failure: string, remedy?: string): Buffer {
  if (ended.code === 0) return ended.output;
  throw new InputError(`${failure}: ${reasonOf(ended)}${remedy === undefined ? "" : `; ${remedy}`}.`);
}

/** What git printed, without the end of its last line. */
export function lineOf(output: Buffer): string {
  return output.toString().trimEnd();
}

/** What the remote and git say of a failure, each in quotes, escaped and short. */
export function reasonOf({ code, killedFor, output, complaint }: Ended): string {
  if (killedFor === "silence") return "it gave no sign of life for too long";
  if (killedFor === "excess") return "it printed more than can be true";
  const lines = complaint.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines.filter((line) => /^remote: ./.test(line)).map((line) => line.slice("remote:".length));
  // git push --porcelain has it in its output.
  const rejected = /^!\t[^\t]*\t(?<summary>.*)$/m.exec(output.toString())?.groups?.["summary"];
  const own = rejected ?? lines.find((line) => /^(?:fatal|error): /.test(line));
  const theirs = remote.length === 0 ? undefined : `remote:${remote.slice(-3).join("")}`;
  const said = [theirs, own].filter((line) => line !== undefined);
  if (said.length === 0) said.push(...lines.filter((line) => line !== "").slice(-1));
  return said.length === 0 ? `git ended with ${code ?? "a signal"}` : said.map(quote).join(" and ");
}

/**
 * Where the repository that holds a folder pushes to. Throws InputError where there is none, or it has no `origin`,
 * with the option that names a remote; and as the git and `readRemote` do.
 */
export async function originOf(git: Git, folder: string, option: string): Promise<Remote> {
  const url = await git(["remote", "get-url", "--push", "origin"], { folder });
  if (url.code !== 0) {
    throw new InputError(
      `${folder} is in no git repository with a remote named origin (${reasonOf(url)}); name the remote with ${option}.`,
    );
  }
  const top = await git(["rev-parse", "--show-toplevel"], { folder });
  return readRemote(lineOf(url.output), top.code === 0 ? lineOf(top.output) : folder);
}
