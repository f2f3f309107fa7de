import { join } from "node:path";
import { env } from "node:process";
import { environmentWithoutUser } from "../../src/core/base/git/git-environment.ts";
import { type PrintingGit, printingGit } from "../../src/features/demo/repositories.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The tests' environment, without the user's Git configuration. */
export const gitEnvironment = environmentWithoutUser(env);

/** Runs Git with `input` on stdin and returns its output. */
export const git: PrintingGit = (parameters, input) =>
  printingGit(gitEnvironment, new AbortController().signal)(parameters, input);

export async function newRemote(...parameters: readonly string[]): Promise<string> {
  const remote = join(temporaryFolder(), "remote.git");
  await git(["init", "--quiet", "--bare", "--template=", ...parameters, remote]);
  return remote;
}
