import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { changeFile } from "./change-file.ts";
import { readConfigText } from "../../core/config/load.ts";
import { changeNodes, type ChangedNodes, parseTargetNames } from "./edit-nodes.ts";
import { listNodes } from "../../core/config/nodes.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { loadMirrors } from "./load-mirrors.ts";
import { type CommandContext, type ExitCode, logSome } from "../../core/base/terminal/context.ts";
import { writeNewFiles } from "../../core/base/files/new-files.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";
import { greatestUsedId } from "./used-ids.ts";

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
    .argument(
      "<file>",
      "a list of mirrors: of apt, pacman, Arch, Debian or CRAN, a metalink, or one URL per line",
    )
    .requiredOption(...sharedOptions.to)
    .option(...sharedOptions.config)
    .option("--remove", "remove the target's mirrors that are not in the list")
    .option("--dry-run", "print the changes without making them")
    .option(...sharedOptions.json);
}

export type ImportOptions = OptionsOf<typeof addOptions>;

/**
 * Adds the mirrors in a list to a target in mirrors.json, except those that the target already has. Prints the changes.
 */
export async function importList(
  file: string,
  { to, config, remove: isRemoving = false, dryRun: isDryRun = false, json }: ImportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const names = parseTargetNames(to);
  const { format, notes, ...list } = await loadMirrors(file);
  const usedId = await greatestUsedId(dirname(config), sharedOptions.state[2], context);
  const change = (text?: string): ChangedNodes =>
    changeNodes(text, config, { ...names, ...list, usedId, isRemoving });
  const isNew = !existsSync(config);
  const changed =
    isDryRun || isNew
      ? change(isNew ? undefined : await readConfigText(config))
      : await changeFile(config, change);
  if (isNew && !isDryRun) {
    const files = [{ path: basename(config), content: changed.text }];
    const remedy = "import overwrites nothing; try again, or name another file with --config";
    await writeNewFiles(dirname(config), files, remedy);
  }
  const { created, added, known, missing, isRemoved } = changed;
  const { kind = null, options = null } =
    listNodes(changed.config).find(({ place }) => place === to)?.settings ?? {};
  if (json === true) {
    const result = {
      ...{ file, format, config, ...names, dry_run: isDryRun, created, kind, options, added, known },
      ...{ missing: isRemoved ? [] : missing, removed: isRemoved ? missing : [], notes },
    };
    context.output(JSON.stringify(result, null, 2));
    return 0;
  }
  const leftOut = notes.map((note) => `${file}: left out, since ${note}.`);
  logSome("URLs", leftOut, context);
  const problem = privateUrlsProblem(changed.config.probe.allowPrivate ? [] : added.map(({ url }) => url));
  if (problem !== undefined) context.log(`Warning: ${problem}.`);
  const lacking = isRemoved ? "removed" : "not in the list";
  const line = (sign: string) => (node: ChangedNodes["added"][number]) => `${sign} ${node.id} ${node.url}`;
  const lines = [
    ...added.map(line("+")),
    ...missing.map(line(isRemoved ? "-" : "?")),
    `${to}: ${added.length} added, ${known} unchanged, ${missing.length} ${lacking}.`,
    ...(created.length > 0 ? [`New: ${created.join(", ")}. The mirrors are probed as ${String(kind)}.`] : []),
    ...(isDryRun ? [`Dry run: ${config} was not ${isNew ? "created" : "changed"}.`] : []),
    ...(isNew && !isDryRun ? [`Created ${config}; to make the feed, use mirrorfeed run.`] : []),
  ];
  context.output(lines.join("\n"));
  return 0;
}
