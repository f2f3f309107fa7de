import { existsSync, lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { InputError } from "../base/errors.ts";
import { type LockOptions, takeLock } from "../base/files/lock.ts";
import { makeFolder } from "../base/files/folders.ts";
import { removeLeftovers, replaceFiles } from "../base/files/replace-file.ts";
import { explainingLater } from "../base/files/system-errors.ts";
import { decode, requireSize, type StateStore, type Update } from "./store.ts";

const elsewhere = "name another file with --state";

/**
 * Stores the state in a file. A save replaces the whole file, so that a killed run leaves it intact, and keeps the
 * previous version as `FILE.1`. The lock file `FILE.lock` keeps parallel runs from losing anything.
 */
export function fileStore(file: string, options: LockOptions): StateStore {
  return {
    load: () => explainingLater(`${file} cannot be read`, elsewhere, () => read(file)),
    save: (update) =>
      explainingLater(`${file} cannot be stored`, elsewhere, async () => {
        makeFolder(dirname(file));
        let isDone = false;
        while (!isDone) isDone = await saveLocked(file, update, options);
      }),
    earlier: () => earlierOf(file),
    isRestored: () => false,
  };
}

function earlierOf(file: string): string | undefined {
  return existsSync(`${file}.1`) ? `copy ${file}.1 to ${file}` : undefined;
}

async function read(file: string): Promise<string | undefined> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new InputError(`${file} is not a plain file; ${elsewhere}.`);
  requireSize(stats.size, file);
  return decode(await readFile(file), file, earlierOf(file));
}

/** Returns false if another run took over the lock, so the save must start again. */
async function saveLocked(file: string, update: Update, options: LockOptions): Promise<boolean> {
  const lock = await takeLock(`${file}.lock`, options);
  try {
    const current = await read(file);
    const next = update(current);
    if (next === current) return true;
    requireSize(Buffer.byteLength(next), file);
    removeLeftovers(dirname(file), `${basename(file)}.`);
    const kept = current === undefined ? [] : [{ file: `${file}.1`, content: current }];
    return replaceFiles([...kept, { file, content: next }], { isAllowed: lock.isHeld });
  } finally {
    lock.release();
  }
}
