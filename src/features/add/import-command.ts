import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { changeFile } from "./change-file.ts";
import { readConfigText } from "../../core/config/load.ts";
import { type MergedNodes, mergeNodes, parseTargetNames } from "./edit-nodes.ts";
import { newNodesFile } from "./new-config.ts";
import { writeNewFiles } from "../../core/base/files/new-files.ts";
import { privateUrlsProblem } from "../../core/config/warnings.ts";
import { formatNames } from "./list-format.ts";
import { type ImportedList, loadMirrors } from "./load-mirrors.ts";
import { type CommandContext, type ExitCode, logSome } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { printable } from "../../core/base/text/quote.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed import mirrorlist.txt --to community/jcb/packages --dry-run",
    "mirrorfeed import /etc/pacman.d/mirrorlist --to linux/arch/core --format pacman --remove",
  ],
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((file, options) => execute((context) => importList(file, options, context)));
}

function addOptions(command: Command) {
  return command
    .argument("<file>", "apt sources or an apt mirror list, a pacman mirror list, or one URL per line")
    .requiredOption(...sharedOptions.to)
    .option(...sharedOptions.config)
    .addOption(
      new Option("--format <name>", "the list's format")
        .choices(formatNames)
        .default(undefined, "detected from its content"),
    )
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
  options: ImportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { to, config, remove: isRemoving = false, dryRun: isDryRun = false, json } = options;
  const names = parseTargetNames(to);
  const list = await loadMirrors(file, options.format);
  const { greatestUsedId } = await import("./used-ids.ts");
  const usedId = await greatestUsedId(dirname(config), sharedOptions.state[2], context);
  const addition = { ...names, ...list, usedId };
  const merge = (text: string): MergedNodes => mergeNodes(text, config, { ...addition, isRemoving });
  const isNew = !existsSync(config);
  const merged = isNew
    ? newNodesFile(config, addition)
    : isDryRun
      ? merge(await readConfigText(config))
      : await changeFile(config, merge, context);
  if (isNew && !isDryRun)
    await writeNewFiles(
      dirname(config),
      [{ path: basename(config), content: merged.text }],
      "import overwrites nothing; try again, or name another file with --config",
    );
  if (json === true) {
    const { format, notes } = list;
    const { created, settings, added, known, missing, isRemoved } = merged;
    const [kind, options] = [settings?.kind ?? null, settings?.options ?? null];
    const difference = { created, kind, options, added, known, missing: isRemoved ? [] : missing };
    const result = { file, format, config, ...names, dry_run: isDryRun, ...difference };
    const removed = isRemoved ? missing : [];
    context.output(JSON.stringify({ ...result, removed, notes }, null, 2));
    return 0;
  }
  const notes = list.notes.map(({ line, message }) => `${file} line ${line}: ${message}.`);
  logSome("Lines", notes, context);
  const privateProblem = privateUrlsProblem(merged.added.map(({ url }) => url));
  if (privateProblem !== undefined && !merged.config.probe.allowPrivate)
    context.log(`Warning: ${privateProblem}.`);
  const kindNote = kindWarning(list, merged, to);
  if (kindNote !== undefined) context.log(kindNote);
  context.output(differenceText(merged, to));
  if (isDryRun) context.output(`Dry run: ${config} was not ${isNew ? "created" : "changed"}.`);
  else if (isNew) context.output(`Created ${config}; to make the feed, use mirrorfeed run.`);
  if (merged.missing.length > 0 && !merged.isRemoved)
    context.log(
      `Not in ${file}: ${formatCount(merged.missing.length, "mirror")} of ${to}, marked with a question mark; use --remove to remove ${merged.missing.length === 1 ? "it" : "them"}.`,
    );
  return 0;
}

/**
 * Returns a warning if mirrors from this type of list are usually probed as a different kind than the target's mirrors.
 * An import does not change the target's kind.
 */
function kindWarning(
  { probe }: ImportedList,
  { added, settings }: MergedNodes,
  to: string,
): string | undefined {
  const [usual, kind] = [probe?.kind, settings?.kind];
  if (added.length === 0 || usual === undefined || kind === undefined || usual === kind) return undefined;
  return `Warning: ${to} is probed as ${kind}, but mirrors from lists like this are usually probed as ${usual}; to probe them as ${usual}, set "probe": { "kind": "${usual}" } in the target.`;
}

/** Returns a line for each change and a line with the counts. The text is safe to print. */
function differenceText(merged: MergedNodes, place: string): string {
  const { added, missing, isRemoved, known, created, settings } = merged;
  const line =
    (sign: string) =>
    ({ id, name, url }: MergedNodes["added"][number]) =>
      `${sign} ${id} ${url}${url.includes(name) ? "" : ` ${printable(name)}`}`;
  const counts = [
    `${added.length} added`,
    ...(isRemoved ? [`${missing.length} removed`] : []),
    `${known} unchanged`,
    ...(isRemoved || missing.length === 0 ? [] : [`${missing.length} not in the list`]),
  ];
  return [
    ...added.map(line("+")),
    ...missing.map(line(isRemoved ? "-" : "?")),
    `${place}: ${counts.join(", ")}.`,
    ...(created.length > 0
      ? [`New: ${created.join(", ")}. The mirrors are probed as ${probedAs(settings)}.`]
      : []),
  ].join("\n");
}

function probedAs(settings: MergedNodes["settings"]): string {
  const options = Object.entries(settings?.options ?? {}).map(
    ([key, value]) => `${key} ${JSON.stringify(value)}`,
  );
  return [settings?.kind, ...options].join(", ");
}
