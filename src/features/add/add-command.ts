import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { listTargets } from "../../core/config/nodes.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";
import { changeFile } from "./change-file.ts";
import { changeNodes, parseTargetNames } from "./edit-nodes.ts";
import { greatestUsedId } from "./used-ids.ts";

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
  const usedId = await greatestUsedId(dirname(file), sharedOptions.state[2], context);
  const { config, added, created } = await changeFile(file, (text) => {
    const changed = changeNodes(text, file, { ...names, mirrors, primary, usedId });
    if (changed.known === 0) return changed;
    throw new InputError(`${to} already has some of these mirrors; leave them out.`);
  });
  const problem = config.probe.allowPrivate ? undefined : privateUrlsProblem(urls);
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
  if (json === true) {
    const target = listTargets(config).find(({ place }) => place === to)?.target;
    const result = { config: file, ...names, created, primary: target?.primary ?? null, nodes: added };
    context.output(JSON.stringify(result));
    return 0;
  }
  for (const { id, url } of added) context.output(`Added ${url} to ${to} as mirror ${id}.`);
  if (created.length > 0) context.output(`New: ${created.join(", ")}.`);
  if (primary === true) context.output(`Mirror ${String(added[0]?.id)} is now the primary.`);
  return 0;
}
