import { existsSync, lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { InputError } from "../base/errors.ts";
import { makeFolder } from "../base/files/folders.ts";
import { type LockOptions, takeLock } from "../base/files/lock.ts";
import { removeLeftovers, replaceFiles } from "../base/files/replace-file.ts";
import { rethrowing } from "../base/files/system-errors.ts";
import type { Environment } from "../base/git/child-process.ts";

export interface StateStore {
  /** Returns undefined if nothing was ever stored. Throws InputError if it cannot be read, since that is no first run. */
  readonly load: () => Promise<Buffer | undefined>;
  /**
   * Stores what `update` returns for the stored bytes, and calls it again if another run saved first. Throws
   * InputError, or what `update` throws. Then the stored bytes are unchanged.
   */
  readonly save: (update: Update) => Promise<void>;
  /** Says how to bring back the newest earlier state, if there is one, as in `copy FILE.1 to FILE`. */
  readonly earlier: () => string | undefined;
  /** Whether what was read last is known to be an earlier state that somebody restored. */
  readonly isRestored: () => boolean;
}

/** Bytes instead of text, because a large state would be in memory several times. */
export type Update = (current: Buffer | undefined) => Buffer;

/** `timeoutMs` limits not only the wait for a lock, but also each Git process. */
export interface StoreOptions extends LockOptions {
  /** If `remote` is missing, the branch is on the `origin` of this folder's repository. */
  readonly folder: string;
  readonly remote?: string | undefined;
  readonly environment: Environment;
  readonly random: () => number;
  readonly now: () => number;
  /** The size limit for fetching the branch. */
  readonly maxBytes?: number | undefined;
}

export const elsewhere = "name another file with --state";
export const mebibyte = 1024 * 1024;

/** The largest state, in bytes. `fitState` makes 40,000 nodes fit, whatever their mirrors answer. */
export const maxBytes = 128 * mebibyte;

/** Throws InputError if a state from `source` is larger than the limit. */
export function requireSize(size: number, source: string): void {
  if (size <= maxBytes) return;
  throw new InputError(`${source} is larger than ${maxBytes / mebibyte} MiB; ${elsewhere}.`);
}

/**
 * Stores the state in a file. A save replaces the whole file, so that a killed run leaves it intact, and keeps the
 * previous version as `FILE.1`. The lock file `FILE.lock` keeps parallel runs from losing anything.
 */
export function fileStore(file: string, options: LockOptions): StateStore {
  return {
    load: () => read(file).catch(rethrowing(`${file} cannot be read`, elsewhere)),
    save: async (update) => {
      const failed = rethrowing(`${file} cannot be stored`, elsewhere);
      let isDone = false;
      while (!isDone) isDone = await saveLocked(file, update, options).catch(failed);
    },
    earlier: () => (existsSync(`${file}.1`) ? `copy ${file}.1 to ${file}` : undefined),
    isRestored: () => false,
  };
}

async function read(file: string): Promise<Buffer | undefined> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new InputError(`${file} is not a plain file; ${elsewhere}.`);
  requireSize(stats.size, file);
  return readFile(file);
}

/** Returns false if another run took over the lock, so the save must start again. */
async function saveLocked(file: string, update: Update, options: LockOptions): Promise<boolean> {
  makeFolder(dirname(file));
  const lock = await takeLock(`${file}.lock`, options);
  try {
    const current = await read(file);
    const next = update(current);
    if (current?.equals(next) === true) return true;
    requireSize(next.length, file);
    removeLeftovers(dirname(file), `${basename(file)}.`);
    const kept = current === undefined ? [] : [{ file: `${file}.1`, content: current }];
    return replaceFiles([...kept, { file, content: next }], { isAllowed: lock.isHeld });
  } finally {
    lock.release();
  }
}
