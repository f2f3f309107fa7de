import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { readConfigText } from "../../core/config/load.ts";
import { greatestUsedId, writeConfig } from "./config-file.ts";
import { changeNodes, parseTargetNames } from "./edit-nodes.ts";
import { listNodes } from "../../core/config/nodes.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { readMirrors } from "./load-mirrors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { type CommandContext, type ExitCode, logSome } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed import mirrorlist.txt --to community/jcb/packages --dry-run",
    "mirrorfeed import /etc/pacman.d/mirrorlist --to linux/arch/core --remove",
  ],
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((file, options) => execute((context) => importList(file, options, context)));
}

function addOptions(command: Command) {
  return command
    .argument("<file>", "a mirror list of apt, pacman, Arch, Debian or CRAN, a metalink, or one URL a line")
    .requiredOption(...sharedOptions.to)
    .option(...sharedOptions.config)
    .option("--remove", "remove the target's mirrors that are not in the list")
    .option("--dry-run", "print the changes without making them")
    .option(...sharedOptions.json);
}

export type ImportOptions = OptionsOf<typeof addOptions>;

export async function importList(
  file: string,
  { to, config, remove: isRemoving = false, dryRun: isDryRun = false, json }: ImportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const names = parseTargetNames(to);
  // 4 MB are about 60,000 mirrors.
  const listText = await readText(file, 4 * 1024 * 1024, "name a list of mirrors");
  const { format, notes, ...list } = readMirrors(file, listText);
  const usedId = await greatestUsedId(dirname(config), sharedOptions.state[2], context);
  const text = existsSync(config) ? await readConfigText(config) : undefined;
  const changed = changeNodes(text, config, { ...names, ...list, usedId, isRemoving });
  if (!isDryRun && changed.text !== text) writeConfig(config, changed.text);
  const { created, added, known, missing } = changed;
  const { kind = null, options = null } =
    listNodes(changed.config).find(({ place }) => place === to)?.settings ?? {};
  if (json === true) {
    const result = {
      ...{ file, format, config, ...names, dry_run: isDryRun, created, kind, options, added, known },
      ...{ missing: isRemoving ? [] : missing, removed: isRemoving ? missing : [], notes },
    };
    context.output(JSON.stringify(result, null, 2));
    return 0;
  }
  const leftOut = notes.map((note) => `${file}: left out, since ${note}.`);
  logSome("URLs", leftOut, context);
  const problem = privateUrlsProblem(changed.config.probe.allowPrivate ? [] : added.map(({ url }) => url));
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
  const [sign, lacking] = isRemoving ? ["-", "removed"] : ["?", "not in the list"];
  for (const { id, url } of added) context.output(`+ ${id} ${url}`);
  for (const { id, url } of missing) context.output(`${sign} ${id} ${url}`);
  context.output(`${to}: ${added.length} added, ${known} unchanged, ${missing.length} ${lacking}.`);
  if (created.length > 0)
    context.output(`New: ${created.join(", ")}. The mirrors are probed as ${String(kind)}.`);
  if (isDryRun) context.output(`Dry run: nothing was written to ${config}.`);
  else if (text === undefined) context.output(`Created ${config}; to make the feed, use mirrorfeed run.`);
  return 0;
}
