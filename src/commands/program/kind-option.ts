import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { KindName } from "../../kinds/kinds.ts";

/**
 * Returns the option `--kind`. The kinds bring a parser of schemas, which takes a third of the start of the program, so the
 * choices are added when a command with this option is called.
 */
export function kindOption(description: string) {
  return new Option("--kind <kind>", description).argParser<KindName>(() => {
    throw new Error("The kinds are not loaded.");
  });
}

/** Adds the choices of `--kind` to each command of a program that has it, before the command parses anything. */
export function loadKindsLazily(program: Command): void {
  program.hook("preSubcommand", async (_, command) => {
    await loadKinds(command);
  });
}

/** Adds the choices of `--kind` to a command that has it. */
export async function loadKinds(command: CommandUnknownOpts): Promise<void> {
  const option = command.options.find(({ long }) => long === "--kind");
  if (option === undefined) return;
  const { kindNames, defaultKind } = await import("../../kinds/kinds.ts");
  option.choices(kindNames).default(defaultKind);
  command.setOptionValueWithSource("kind", defaultKind, "default");
}
