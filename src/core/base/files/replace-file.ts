import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface ReplaceOptions {
  /** Start of each temporary file's path (default: the path of the file to replace, and a dot). */
  readonly prefix?: string;
  /** Whether a power failure leaves either the old or the new bytes (default: true). */
  readonly flush?: boolean;
  /** Mode of the new files, regardless of the umask. */
  readonly mode?: number;
  /** Called right before the first file is replaced. If it returns false, no file is replaced. */
  readonly isAllowed?: () => boolean;
}

/**
 * Replaces files in order, each by an atomic rename. Returns what `isAllowed` returned. Throws system errors. It is
 * synchronous, so that a lock that `isAllowed` checks is held until the end.
 */
export function replaceFiles(
  files: readonly { readonly file: string; readonly content: string | Uint8Array }[],
  options: ReplaceOptions = {},
): boolean {
  const { prefix, flush = true, mode, isAllowed = () => true } = options;
  const pending = files.map((replacement) => ({
    ...replacement,
    temporary: `${prefix ?? `${replacement.file}.`}${randomUUID()}.tmp`,
  }));
  let renamed = 0;
  try {
    for (const { temporary, content } of pending) {
      writeFileSync(temporary, content, { flag: "wx", flush, mode });
      if (mode !== undefined) chmodSync(temporary, mode);
    }
    if (!isAllowed()) return false;
    for (const { temporary, file } of pending) {
      renameSync(temporary, file);
      renamed += 1;
    }
  } finally {
    for (const { temporary } of pending.slice(renamed)) rmSync(temporary, { force: true });
  }
  return true;
}

const temporaryName = /(?:^|\.)[\da-f-]{36}\.tmp$/;

/** Removes temporary files of killed processes. `minAgeMs` keeps those that a process may be writing now. */
export function removeLeftovers(folder: string, start: string, minAgeMs = -Infinity): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start) || !temporaryName.test(name)) continue;
    const file = join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() === true && Date.now() - stats.mtimeMs >= minAgeMs) rmSync(file, { force: true });
  }
}
