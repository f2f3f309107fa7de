import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { addNodes, type AddedNodes, parseTargetNames } from "./edit-nodes.ts";
import type { TargetNames } from "../../core/config/nodes.ts";
import { changeFile } from "./change-file.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed add https://git.example.org/a/b https://github.com/a/b --to community/jcb/packages --primary",
    "mirrorfeed add https://git.example.org/a/b --to community/jcb/packages --name 'Main server' --json",
  ],
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((urls, options) => execute((context) => add(urls, options, context)));
}

function addOptions(command: Command) {
  return command
    .argument("<urls...>", "the URLs of the mirrors")
    .requiredOption(...sharedOptions.to)
    .option(...sharedOptions.config)
    .option("--name <label>", "the mirror's label (default: its host and path)")
    .option("--primary", "make the first URL the primary, which the other mirrors copy")
    .option(...sharedOptions.json);
}

export type AddOptions = OptionsOf<typeof addOptions>;

/** Adds mirrors to a target, and creates the system, project and target if they are missing. */
export async function add(
  urls: readonly string[],
  { to, config: file, name, primary, json }: AddOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const names = parseTargetNames(to);
  if (name !== undefined && urls.length > 1)
    throw new InputError(`--name is for one mirror, not ${urls.length}; add the mirrors one at a time.`);
  const mirrors = urls.map((url) => ({ url, name }));
  const { greatestUsedId } = await import("./used-ids.ts");
  const usedId = await greatestUsedId(dirname(file), sharedOptions.state[2], context);
  const change = (text: string): AddedNodes => addNodes(text, file, { ...names, mirrors, primary, usedId });
  const edited = await changeFile(file, change, context);
  const problem = edited.config.probe.allowPrivate ? undefined : privateUrlsProblem(urls);
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
  context.output(json === true ? JSON.stringify(record(file, names, edited)) : sentences(to, edited));
  return 0;
}

function record(file: string, names: TargetNames, { created, primary, nodes }: AddedNodes): object {
  return { config: file, ...names, created, primary: primary ?? null, nodes };
}

function sentences(to: string, { nodes, created, primary, formerPrimary }: AddedNodes): string {
  const added = nodes.map(({ id, url }) => `Added ${url} to ${to} as mirror ${id}.`);
  if (created.length > 0) added.push(`New: ${created.join(", ")}.`);
  if (primary !== formerPrimary) {
    const former = formerPrimary === undefined ? "" : ` instead of mirror ${formerPrimary}`;
    added.push(`Mirror ${String(primary)} is now the primary${former}.`);
  }
  return added.join("\n");
}
