import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, Input } from "../base/git/child-process.ts";
import { InputError } from "../base/errors.ts";
import { gitWith, outputOf } from "../base/git/git.ts";

/** Returns what Git prints for its standard input. Throws InputError if it fails or is missing. */
export type PrintingGit = (parameters: readonly string[], input?: Input) => Promise<string>;

/** Returns a Git with exactly these variables, ended by the signal. */
export function printingGit(environment: Environment, signal: AbortSignal): PrintingGit {
  const git = gitWith(environment, { signal });
  return async (parameters, input) => {
    const ended = await git(parameters, { input });
    return outputOf(ended, `git ${parameters.join(" ")} failed`)
      .toString()
      .trim();
  };
}

/** Throws InputError if Git is missing, or its HTTP server, which some systems package separately. */
export async function requireGit(git: PrintingGit): Promise<void> {
  const program = join(await git(["--exec-path"]), "git-http-backend");
  try {
    await access(program);
  } catch (error) {
    throw new InputError(
      `The demo needs git http-backend, and there is no ${program}; install the package that has it (on Alpine, git-daemon).`,
      { cause: error },
    );
  }
}
