import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { readConfigText } from "../../core/config/load.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";
import { greatestUsedId, writeConfig } from "./config-file.ts";
import { changeNodes, parseTargetNames } from "./edit-nodes.ts";

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

export async function add(
  urls: readonly string[],
  { to, config: file, name, primary: isPrimary, json }: AddOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const names = parseTargetNames(to);
  if (name !== undefined && urls.length > 1)
    throw new InputError(`--name is for one mirror, not ${urls.length}; add the mirrors one at a time.`);
  const usedId = await greatestUsedId(dirname(file), sharedOptions.state[2], context);
  const change = { ...names, mirrors: urls.map((url) => ({ url, name })), isPrimary, usedId };
  const { text, config, added, known, created } = changeNodes(await readConfigText(file), file, change);
  if (known > 0) throw new InputError(`${to} already has some of these mirrors; leave them out.`);
  writeConfig(file, text);
  const problem = privateUrlsProblem(config.probe.allowPrivate ? [] : urls);
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
  if (json === true) {
    context.output(JSON.stringify({ config: file, ...names, created, nodes: added }));
    return 0;
  }
  for (const { id, url } of added) context.output(`Added ${url} to ${to} as mirror ${id}.`);
  if (created.length > 0) context.output(`New: ${created.join(", ")}.`);
  if (isPrimary === true) context.output(`Mirror ${String(added[0]?.id)} is now the primary.`);
  return 0;
}
