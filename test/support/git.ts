import { env } from "node:process";
import { type PrintingGit, printingGit } from "../../src/testbed/repositories.ts";
import { environmentWithoutUser } from "../../src/base/git/environment.ts";

/** The environment of the tests, without the user's configuration of Git. */
export const gitEnvironment = environmentWithoutUser(env);

/** Runs Git with a text on its standard input and returns its output. */
export const git: PrintingGit = (parameters, input) =>
  printingGit(gitEnvironment, new AbortController().signal)(parameters, input);
