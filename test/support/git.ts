import { env } from "node:process";
import { type PrintingGit, printingGit } from "../../src/testbed/git.ts";
import { environmentWithoutUser } from "../../src/git/environment.ts";

/** The environment of the tests, without whatever the user has configured. */
export const gitEnvironment = environmentWithoutUser(env);

/** Runs git with a text on its standard input and gives what it prints. */
export const git: PrintingGit = (parameters, input) =>
  printingGit(gitEnvironment, new AbortController().signal)(parameters, input);
