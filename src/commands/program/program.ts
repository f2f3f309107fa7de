import { Command, CommanderError, type CommandUnknownOpts, type Option } from "@commander-js/extra-typings";
import type { CommandContext } from "../../base/terminal/context.ts";
import { product } from "../../base/files/package.ts";
import { closestName } from "../../base/text/name.ts";
import { declareEditing } from "./editing.ts";
import { loadKindsLazily } from "./kind-option.ts";
import { declareMaking } from "./making.ts";
import { notes, notesText } from "./notes.ts";
import { declareReading } from "./reading.ts";
import { declareServing } from "./serving.ts";
import { unknownCommand, usageError } from "./usage.ts";
import type { Finish } from "./options.ts";

/** Returns all commands with their options. Each loads its modules when it runs. */
export function declareProgram(context: CommandContext, finish: Finish): Command {
  const program = new Command("mirrorfeed")
    .description("A status API of your mirrors as static files.")
    .usage("<command> [options]")
    .version(product.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show the help of a command")
    .helpCommand(false)
    .configureHelp({ optionDescription, subcommandTerm, showGlobalOptions: false })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        context.output(text.replace(/\n$/, ""));
      },
      writeErr: (text) => {
        context.log(text.replace(/\n$/, ""));
      },
      // The error is thrown too, and reported then.
      outputError: () => undefined,
    })
    .addHelpText(
      "after",
      "\nmirrorfeed <command> --help shows the options, examples and exit codes of a command.",
    );

  for (const declare of [declareEditing, declareMaking, declareServing, declareReading])
    declare(program, context, finish);
  for (const command of program.commands) {
    const own = notes[command.name()];
    if (own !== undefined) command.addHelpText("after", notesText(own));
  }
  program
    .command("help")
    .helpGroup("Help:")
    .description("show the help of a command")
    .argument("[command]")
    .action(async (name) => {
      await showHelp(program, name);
    });
  loadKindsLazily(program);
  return program;
}

/**
 * Parses the arguments of the process and runs their command. Throws InputError for a usage error, CommanderError after
 * help and version, and the errors of the command.
 */
export async function runProgram(program: Command, parameters: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0 || error.code === "commander.help")
      throw error;
    throw usageError(
      error,
      program.commands.find((command) => command.name() === parameters[0]),
    );
  }
}

async function showHelp(program: Command, name: string | undefined): Promise<void> {
  const names = program.commands.map((command) => command.name());
  if (name !== undefined && !names.includes(name)) throw unknownCommand(name, closestName(name, names));
  await program.parseAsync([...(name === undefined ? [] : [name]), "--help"], { from: "user" });
}

/** Returns the description of an option with its choices and its default, as a person types them. */
function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const value: unknown = defaultValue;
  const plain = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  const shown = defaultValueDescription ?? plain;
  const details = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(shown === undefined ? [] : [`default: ${shown}`]),
  ];
  return details.length === 0 ? description : `${description} (${details.join("; ")})`;
}

/** Returns a command with its arguments alone. */
function subcommandTerm(command: CommandUnknownOpts): string {
  const names = command.registeredArguments.map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(" ");
}
