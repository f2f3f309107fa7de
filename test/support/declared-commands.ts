import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { commandFiles, declareProgram, runProgram } from "../../src/app/commands/program.ts";
import { recorded } from "./command-context.ts";

/** Returns all commands with their options, which are normally declared only when a command is called. */
export async function declaredCommands(): Promise<readonly CommandUnknownOpts[]> {
  const program = declareProgram(recorded().context, () => Promise.resolve());
  for (const name of Object.keys(commandFiles)) {
    await program.parseAsync([name, "--help"], { from: "user" }).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) throw error;
    });
  }
  return program.commands.filter((command) => command.name() !== "help");
}

/** Returns the name of the command that these arguments call. Throws if the program refuses them. */
export async function calledBy(words: readonly string[]): Promise<string | undefined> {
  const { context, logged } = recorded();
  const called: (string | undefined)[] = [];
  const program = declareProgram(context, () => {
    called.push(words[0]);
    return Promise.resolve();
  });
  await runProgram(program, words);
  if (logged.length > 0) throw new Error(logged.join("\n"));
  return called[0];
}
