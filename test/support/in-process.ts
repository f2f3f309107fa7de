import process from "node:process";
import { runCommandLine } from "../../src/commands/program.ts";
import type { CommandContext } from "../../src/base/terminal/context.ts";
import { withoutCommands } from "../../src/base/text/quote.ts";
import { childEnvironment, type ChildOptions, type ProcessExit } from "./child.ts";
import { recorded } from "./command-context.ts";

/** A folder, an environment, and what else differs from the context of src/cli.ts. */
export type InProcessOptions = Omit<ChildOptions, "node"> & Partial<Omit<CommandContext, "environment">>;

/** Runs a command line of the program, or of a copy of it. */
export type RunCommandLine = typeof runCommandLine;

/** Runs a command line like `runProgram` of child.ts, but in this process, which saves the start of another one. */
export async function runInProcess(
  parameters: readonly string[],
  { folder, environment, ...changes }: InProcessOptions,
  program = runCommandLine,
): Promise<ProcessExit> {
  const { context, printed, logged } = recorded({
    now: Date.now,
    ...changes,
    environment: childEnvironment(environment),
  });
  const code = await runInFolder(parameters, folder, context, program);
  const [stdout, stderr] = [printed, logged].map((texts) => texts.map(asWritten).join(""));
  return { code, signal: null, stdout: stdout ?? "", stderr: stderr ?? "" };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line in this process, and returns its exit code. The working folder belongs to the process: runs wait
 * for each other, and a file with concurrent tests cannot use this.
 */
export function runInFolder(
  parameters: readonly string[],
  folder: string,
  context: CommandContext,
  program = runCommandLine,
): Promise<number> {
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
  return run;
}

/** Returns what src/cli.ts writes to a stream for a text. */
export function asWritten(text: string): string {
  return `${withoutCommands(text)}\n`;
}
