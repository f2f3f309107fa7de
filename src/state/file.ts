import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, type Stats } from "node:fs";
import { lstat, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { type Lock, type LockOptions, takeLock } from "../lock.ts";
import type { StateStore } from "./store.ts";
import { decode, requireSize } from "./text.ts";

const elsewhere = "name another file with --state";

/**
 * A state in a file: replaced as a whole, so that it is whole whenever a run is killed, with the one before it kept
 * beside it as `FILE.1`, and under the lock `FILE.lock`, so that runs at the same time lose nothing.
 */
export function fileStore(file: string, options: LockOptions): StateStore {
  return {
    load: () => explaining(`${file} cannot be read`, () => read(file)),
    save: (update) =>
      explaining(`${file} cannot be stored`, async () => {
        // Not the one that promises: it takes a full disk for a folder that is missing.
        mkdirSync(dirname(file), { recursive: true });
        let isDone = false;
        while (!isDone) isDone = await saveLocked(file, update, options);
      }),
  };
}

async function read(file: string): Promise<string | undefined> {
  const stats = await statsOf(file);
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new InputError(`${file} is a link or no file at all; ${elsewhere}.`);
  requireSize(stats.size, file);
  return decode(await readFile(file), file);
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/** False where another run took the lock over meanwhile, so that all is to be done again. */
async function saveLocked(
  file: string,
  update: (current: string | undefined) => string,
  options: LockOptions,
): Promise<boolean> {
  const lock = await takeLock(`${file}.lock`, options);
  try {
    const current = await read(file);
    const next = update(current);
    if (next === current) return true;
    requireSize(Buffer.byteLength(next), file);
    await removeLeftovers(file);
    return await replace(file, current, next, lock);
  } finally {
    lock.release();
  }
}

async function replace(
  file: string,
  current: string | undefined,
  next: string,
  lock: Lock,
): Promise<boolean> {
  const name = `${file}.${randomUUID()}`;
  const [fresh, kept] = [`${name}.tmp`, `${name}.1.tmp`];
  try {
    await writeFile(fresh, next, { flag: "wx", flush: true });
    if (current !== undefined) await writeFile(kept, current, { flag: "wx", flush: true });
    // From here on nothing is waited for, so that the lock which is held now is held at the end.
    if (!lock.isHeld()) return false;
    if (current !== undefined) renameSync(kept, `${file}.1`);
    renameSync(fresh, file);
  } finally {
    await Promise.all([fresh, kept].map((temporary) => rm(temporary, { force: true })));
  }
  await flushFolder(dirname(file));
  return true;
}

/** Of runs that were killed: whoever has the lock is the only one that writes. */
async function removeLeftovers(file: string): Promise<void> {
  const names = await readdir(dirname(file));
  const leftovers = names.filter(
    (name) => name.startsWith(`${basename(file)}.`) && /\.[\da-f-]{36}(?:\.1)?\.tmp$/.test(name),
  );
  await Promise.all(leftovers.map((name) => rm(join(dirname(file), name), { force: true })));
}

/** So that a renaming outlives a power failure, on systems that can open a folder. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!["EACCES", "EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  }
}

async function explaining<Result>(failure: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw fileFault(error, failure, elsewhere) ?? error;
  }
}
