import { CommanderError } from "@commander-js/extra-typings";
import { InputError, Interrupted } from "../../base/errors.ts";
import { product } from "../../base/files/package.ts";
import type { CommandContext, ExitCode } from "../../base/terminal/context.ts";
import { requireNode } from "./node-version.ts";
import { notes } from "./notes.ts";
import { declareProgram, runProgram } from "./program.ts";

/** sysexits(3): an error of mirrorfeed itself, apart from every exit code that scripts decide by. */
const internalError = 70;

/** The arguments of a process, and the version of its Node.js, such as `v20.19.0`. */
export interface CommandLine {
  readonly parameters: readonly string[];
  readonly nodeVersion: string;
}

/** Runs a command line, and reports its error. Returns the exit code of the process. */
export async function runCommandLine(line: CommandLine, context: CommandContext): Promise<number> {
  let exitCode: ExitCode = 0;
  try {
    requireNode(line.nodeVersion);
    const program = declareProgram(context, (code) => {
      exitCode = code;
    });
    await runProgram(program, line.parameters);
    return exitCode;
  } catch (error) {
    return reportError(error, line, context);
  }
}

/** Logs an error for the user. Returns the exit code of the process. */
export function reportError(
  error: unknown,
  { parameters: [name = ""], nodeVersion }: CommandLine,
  { log }: Pick<CommandContext, "log">,
): number {
  if (error instanceof InputError) {
    log(`mirrorfeed: ${error.message}`);
    return 2;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Interrupted) return 130;
  // Not the arguments, which may hold credentials.
  const command = Object.hasOwn(notes, name) ? name : "no command";
  const recipient = product.homepage ?? "the people you have mirrorfeed from";
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  log(
    `mirrorfeed: this is an unexpected error of mirrorfeed ${product.version} (${command}, Node.js ${nodeVersion}). Report it, with the lines above, to ${recipient}.`,
  );
  return internalError;
}
