import process from "node:process";
import { runCommandLine } from "../../src/app/commands/program.ts";
import type { CommandContext } from "../../src/core/base/terminal/context.ts";
import { visible } from "../../src/core/base/text/quote.ts";
import { childEnvironment, type ChildOptions, type ProcessExit } from "./child.ts";
import { recorded } from "./command-context.ts";

/** The working folder, the environment, and replacements for parts of the command context. */
export type InProcessOptions = Omit<ChildOptions, "node"> & Partial<Omit<CommandContext, "environment">>;

export type RunCommandLine = typeof runCommandLine;

let last: Promise<unknown> = Promise.resolve();

/**
 * Like `runProgram` in child.ts, but in this process, which is faster. A call changes the process's working folder, so
 * each call waits until the previous one has ended. Don't use this function in files with concurrent tests.
 */
export async function runInProcess(
  parameters: readonly string[],
  { folder, environment, ...changes }: InProcessOptions,
  program = runCommandLine,
): Promise<ProcessExit> {
  const own = { now: Date.now, ...changes, environment: childEnvironment(environment) };
  const { context, printed, logged } = recorded(own);
  const run = last.then(async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      return await program({ parameters, nodeVersion: process.version }, context);
    } finally {
      process.chdir(before);
    }
  });
  last = run.catch(() => undefined);
  const code = await run;
  // As src/cli.ts writes messages.
  const [stdout = "", stderr = ""] = [printed, logged].map((texts) =>
    texts.map((text) => `${visible(text)}\n`).join(""),
  );
  return { code, signal: null, stdout, stderr };
}
