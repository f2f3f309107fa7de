import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { commandFiles, declareProgram } from "../../src/app/commands/program.ts";
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
