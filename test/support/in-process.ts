import process from "node:process";
import { runCommandLine } from "../../src/program/command-line.ts";
import type { CommandContext } from "../../src/terminal/context.ts";
import { withoutCommands } from "../../src/text/quote.ts";
import { childEnvironment, type ChildOptions, type ProcessExit } from "./child.ts";
import { recorded } from "./command-context.ts";

/** A folder, an environment, and what else differs from the context of src/cli.ts. */
export type InProcessOptions = Omit<ChildOptions, "node"> & Partial<Omit<CommandContext, "environment">>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line like `runProgram` of child.ts, but in this process, which saves the start of another one. The
 * working folder belongs to the process: runs wait for each other, and a file with concurrent tests cannot use this.
 */
export function runInProcess(parameters: readonly string[], options: InProcessOptions): Promise<ProcessExit> {
  const run = last.then(() => runNow(parameters, options));
  last = run.catch(() => undefined);
  return run;
}

async function runNow(
  parameters: readonly string[],
  { folder, environment, ...changes }: InProcessOptions,
): Promise<ProcessExit> {
  const before = process.cwd();
  const context = { now: Date.now, ...changes, environment: childEnvironment(environment) };
  const { context: recording, printed, logged } = recorded(context);
  process.chdir(folder);
  try {
    const code = await runCommandLine({ parameters, nodeVersion: process.version }, recording);
    return { code, signal: null, stdout: asStream(printed), stderr: asStream(logged) };
  } finally {
    process.chdir(before);
  }
}

/** Returns what src/cli.ts writes to a stream. */
function asStream(texts: readonly string[]): string {
  return texts.map((text) => `${withoutCommands(text)}\n`).join("");
}
