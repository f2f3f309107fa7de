import { Command } from "@commander-js/extra-typings";
import type { ExitCode, Setting } from "../commands/setting.ts";
import { product } from "../product.ts";
import { declareEditing } from "./editing.ts";
import { declareMaking } from "./making.ts";
import { declareReading } from "./reading.ts";
import { declareServing } from "./serving.ts";

/** Takes the exit code of the command that ended. */
export type Finish = (exitCode: ExitCode) => void;

/**
 * All commands with their options. Each loads what it needs when it runs. Parsing throws CommanderError for what it
 * does not take, and whatever the command throws.
 */
export function declareProgram(setting: Setting, finish: Finish): Command {
  const program = new Command("mirrorfeed")
    .description("A status API of your mirrors, made of files.")
    .version(product.version)
    .showHelpAfterError("mirrorfeed --help shows what it takes.")
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        write(text);
      },
    });

  for (const declare of [declareMaking, declareServing, declareReading, declareEditing])
    declare(program, setting, finish);
  return program;
}
