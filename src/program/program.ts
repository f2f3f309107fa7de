import { Command } from "@commander-js/extra-typings";
import type { CommandContext } from "../terminal/context.ts";
import { product } from "../files/package.ts";
import { declareEditing } from "./editing.ts";
import { loadKindsLazily } from "./kind-option.ts";
import { declareMaking } from "./making.ts";
import { declareReading } from "./reading.ts";
import { declareServing } from "./serving.ts";
import type { Finish } from "./options.ts";

/**
 * Returns all commands with their options. Each loads its modules when it runs. Parsing throws CommanderError for
 * invalid input, and the errors of the command.
 */
export function declareProgram(context: CommandContext, finish: Finish): Command {
  const program = new Command("mirrorfeed")
    .description("A status API of your mirrors as static files.")
    .version(product.version)
    .showHelpAfterError("mirrorfeed --help shows what it takes.")
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        write(text);
      },
    });

  for (const declare of [declareMaking, declareServing, declareReading, declareEditing])
    declare(program, context, finish);
  loadKindsLazily(program);
  return program;
}
