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
import {
  formatSignature,
  isFromDeadProcess,
  newSignature,
  parseSignature,
  type Processes,
} from "./signature.ts";

/** A file, and what it holds from now on. */
export interface Replacement {
  readonly file: string;
  readonly content: string | Uint8Array;
}

export interface ReplaceOptions {
  /** Named in the temporary files, so that `removeLeftovers` knows those of killed processes. */
  readonly processes?: Processes | undefined;
  /** How the paths of temporary files begin (default: with the path of the file and a dot). */
  readonly prefix?: string;
  /** Whether the bytes outlive a power failure (default: true). */
  readonly flush?: boolean;
  /** The mode of the new files, before the umask. */
  readonly mode?: number;
  /** The mode and the owner of the new files, whatever the umask. */
  readonly like?: Stats;
  /** Called when all is written, right before the first file is replaced. If it returns false, none is. */
  readonly isAllowed?: () => boolean;
}

/**
 * Replaces files, in order, each as a whole or not at all if the process is killed. Returns whether it was allowed.
 * Throws the system's error if a file cannot be written, and leaves no temporary file then. Nothing is waited for, so
 * that a lock which `isAllowed` finds held is held at the end.
 */
export function replaceFiles(files: readonly Replacement[], options: ReplaceOptions = {}): boolean {
  const { processes, prefix, flush = true, isAllowed = () => true } = options;
  const pending = files.map(({ file, content }) => {
    const start = prefix ?? `${file}.`;
    return { file, content, temporary: `${start}${formatSignature(newSignature(processes))}.tmp` };
  });
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
      handOver(descriptor, like);
      fchmodSync(descriptor, like.mode);
    }
    if (flush === true) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Only an administrator can give a file to its owner. For others it becomes their own, as with an editor. */
function handOver(descriptor: number, { uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
  }
}

/** Makes a renaming outlive a power failure, on systems that can open a folder. */
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

const hourMs = 3_600_000;
const temporaryName = /(?:^|\.)(?<signature>[\w-]*\.\d+\.[\da-f-]{36})\.tmp$/;

/**
 * Removes the temporary files of killed processes from a folder, of those whose names begin with `start`: all of them if
 * the caller is the only one that writes such files; if not, those that are certainly theirs or older than an hour.
 */
export function removeLeftovers(
  folder: string,
  start: string,
  { processes, isOnly = false }: { readonly processes?: Processes | undefined; readonly isOnly?: boolean },
): void {
  for (const name of readdirSync(folder)) {
    const match = name.startsWith(start) ? temporaryName.exec(name) : null;
    const file = join(folder, name);
    const stats = match === null ? undefined : lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) continue;
    const signature = parseSignature(match?.groups?.["signature"] ?? "");
    const isDead = signature && processes && isFromDeadProcess(signature, processes);
    if (isOnly || isDead === true || Date.now() - stats.mtimeMs > hourMs) rmSync(file, { force: true });
  }
}
