import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.ts";

interface ReplaceOptions {
  /** Start of each temporary file's path (default: the path of the file to replace, and a dot). */
  readonly prefix?: string;
  /** Whether the bytes survive a power failure (default: true). */
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
  if (flush) for (const folder of new Set(files.map(({ file }) => dirname(file)))) flushFolder(folder);
  return true;
}

/** Makes a rename survive a power failure, on systems that can open a folder. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!["EACCES", "EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  }
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
