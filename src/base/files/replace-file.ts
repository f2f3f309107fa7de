import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.ts";

interface ReplaceOptions {
  /** How the paths of temporary files begin (default: with the path of the file and a dot). */
  readonly prefix?: string;
  /** Whether the bytes outlive a power failure (default: true). */
  readonly flush?: boolean;
  /** The mode of the new files, before the umask. */
  readonly mode?: number;
  /** The mode and the owner of the new files, whatever the umask. */
  readonly like?: Stats;
  /** Called right before the first file is replaced. If it returns false, none is. */
  readonly isAllowed?: () => boolean;
}

/**
 * Replaces files in order. If the process is killed, each file is either old or new. Returns whether it was allowed.
 * Throws the system's error, and leaves no temporary file then. Synchronous, so that a lock which `isAllowed` finds
 * held is held at the end.
 */
export function replaceFiles(
  files: readonly { readonly file: string; readonly content: string | Uint8Array }[],
  options: ReplaceOptions = {},
): boolean {
  const { prefix, flush = true, isAllowed = () => true } = options;
  const pending = files.map((replacement) => ({
    ...replacement,
    temporary: `${prefix ?? `${replacement.file}.`}${randomUUID()}.tmp`,
  }));
  let renamed = 0;
  try {
    for (const { temporary, content } of pending) write(temporary, content, { ...options, flush });
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

function write(
  temporary: string,
  content: string | Uint8Array,
  { flush, like, mode = like?.mode }: ReplaceOptions,
): void {
  const descriptor = openSync(temporary, "wx", mode);
  try {
    writeFileSync(descriptor, content);
    if (like !== undefined) {
      // Only an administrator can give a file to its owner. For everyone else the new file becomes their own, as with
      // an editor.
      ignoring(["EPERM"], () => {
        fchownSync(descriptor, like.uid, like.gid);
      });
      fchmodSync(descriptor, like.mode);
    }
    if (flush === true) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a renaming outlive a power failure, where the system can open a folder. */
function flushFolder(folder: string): void {
  ignoring(["EACCES", "EPERM", "EISDIR", "EINVAL", "ENOTSUP"], () => {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function ignoring(codes: readonly string[], action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
  }
}

const temporaryName = /(?:^|\.)[\da-f-]{36}\.tmp$/;

/**
 * Removes the temporary files of killed processes whose names begin with `start`. If other processes may be writing
 * such files at the moment, `minAgeMs` spares theirs.
 */
export function removeLeftovers(folder: string, start: string, minAgeMs = -Infinity): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start) || !temporaryName.test(name)) continue;
    const file = join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() === true && Date.now() - stats.mtimeMs >= minAgeMs) rmSync(file, { force: true });
  }
}
