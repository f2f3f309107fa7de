import { join } from "node:path";
import { env } from "node:process";
import { environmentWithoutUser, gitWith, outputOf } from "../../src/core/base/git/run-git.ts";
import type { Environment, Input } from "../../src/core/base/git/child-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The tests' environment, without the user's Git configuration. */
export const gitEnvironment = environmentWithoutUser(env);

/** Throws InputError if Git fails. */
export type PrintingGit = (parameters: readonly string[], input?: Input) => Promise<string>;

export function printingGit(environment: Environment, signal: AbortSignal): PrintingGit {
  const git = gitWith(environment, { signal });
  return async (parameters, input) => {
    const ended = await git(parameters, { input });
    return outputOf(ended, `git ${parameters.join(" ")} failed`)
      .toString()
      .trim();
  };
}

/** Runs Git with `input` on stdin and returns its output. */
export const git: PrintingGit = (parameters, input) =>
  printingGit(gitEnvironment, new AbortController().signal)(parameters, input);

export async function newRemote(...parameters: readonly string[]): Promise<string> {
  const remote = join(temporaryFolder(), "remote.git");
  await git(["init", "--quiet", "--bare", "--template=", ...parameters, remote]);
  return remote;
}
