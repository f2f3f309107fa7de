import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../core/base/files/folders.ts";
import { replaceFiles } from "../../core/base/files/replace-file.ts";
import { explaining } from "../../core/base/files/system-errors.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { coreDocument } from "../../core/state/document.ts";
import { openState } from "../../core/state/stored-state.ts";
import { loadNotices } from "../incidents/notices.ts";

/** Renders a new mirrors.json, with one line for each mirror. */
export function renderConfig(config: object): string {
  const text = JSON.stringify(config, null, 2);
  // Only the mirrors of a target are nested so deeply in a list.
  return `${text.replaceAll(/(?<=^ {16})\{[^]*?^ {16}\}/gm, (mirror) => renderLine(JSON.parse(mirror)))}\n`;
}

export function renderLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
}

/** Writes a mirrors.json, atomically if it exists. Keeps symbolic links and the mode. Throws InputError. */
export function writeConfig(file: string, content: string): void {
  explaining(`${file} cannot be written`, "name another file with --config", () => {
    makeFolder(dirname(file));
    const before = statSync(file, { throwIfNoEntry: false });
    const path = before === undefined ? file : realpathSync(file);
    replaceFiles([{ file: path, content }], before && { mode: before.mode });
  });
}

/**
 * Returns the greatest id that a mirror has ever had, as far as the state and the notices in `public/incidents/` tell,
 * or 0. Notices and clients remember the ids of removed mirrors. Throws InputError if a file cannot be read.
 */
export async function greatestUsedId(folder: string, state: string, context: CommandContext) {
  const stored = await openState({ state, config: folder }, coreDocument, context).load();
  const notices = await loadNotices(folder, []);
  const named = notices.flatMap(({ gone }) => gone.filter((name) => typeof name === "number"));
  const known = Object.keys(stored?.nodes ?? {}).map(Number);
  return Math.max(stored?.former?.last_id ?? 0, ...known, ...named);
}
