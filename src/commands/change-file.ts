import { readFileSync, renameSync } from "node:fs";
import { access, constants, open, readFile, realpath, rm, stat } from "node:fs/promises";
import { readText } from "../config/load.ts";
import { errorCode, InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { type Lock, type LockOptions, takeLock } from "../lock.ts";
import { newSignature, signatureText } from "../signature.ts";

const mostBytes = 64 * 1024 * 1024;
const mostTries = 10;
const byteOrderMark = "\ufeff";

/** What a change of a text gives; the text is what is written. */
interface Changed {
  readonly text: string;
}

/**
 * Replaces a UTF-8 text file by what `change` makes of it, as a whole or not at all, and gives that. Whoever changes the
 * same file so at the same time waits; where another program was faster, `change` is called again with what that one
 * wrote. A link stays a link, and the file keeps its mode. Throws what `change` throws, and InputError, with `remedy`
 * as its end where there is no such file, where it cannot be read or written.
 */
export async function changeFile<Result extends Changed>(
  file: string,
  remedy: string,
  change: (text: string) => Result,
  options: LockOptions,
): Promise<Result> {
  // Who cannot read it learns so before there is a lock.
  await readText(file, mostBytes, remedy);
  try {
    const place = await realpath(file);
    await refuseReadOnly(place, file);
    for (let tries = 0; tries < mostTries; tries += 1) {
      const changed = await changeLocked(place, remedy, change, options);
      if (changed !== undefined) return changed;
    }
  } catch (error) {
    throw fileFault(error, `${file} cannot be written`, "name another file with --config") ?? error;
  }
  throw new InputError(`${file} is changed by another program all the time; run again when that is done.`);
}

/** Undefined where somebody else was faster, so that all is to be done again. */
async function changeLocked<Result extends Changed>(
  place: string,
  remedy: string,
  change: (text: string) => Result,
  options: LockOptions,
): Promise<Result | undefined> {
  const lock = await takeLock(`${place}.lock`, options);
  try {
    const text = await readText(place, mostBytes, remedy);
    const before = await readFile(place);
    const mark = before.indexOf(byteOrderMark) === 0 ? byteOrderMark : "";
    if (!before.equals(Buffer.from(mark + text))) return undefined;
    const changed = change(text);
    const isDone = await replace(place, before, mark + changed.text, lock, options);
    return isDone ? changed : undefined;
  } finally {
    lock.release();
  }
}

async function refuseReadOnly(place: string, file: string): Promise<void> {
  const { mode } = await stat(place);
  // An administrator may write everywhere, and a folder lets its files be replaced: the mode says what is meant.
  if ((mode & 0o222) === 0) throw new InputError(`${file} is read-only; make it writable and run again.`);
  await access(place, constants.W_OK);
}

/** False where somebody else changed the file, or took the lock over, since `before` was read. */
async function replace(
  place: string,
  before: Buffer,
  text: string,
  lock: Lock,
  { processes }: LockOptions,
): Promise<boolean> {
  const temporary = `${place}.${signatureText(newSignature(processes))}.tmp`;
  try {
    await writeLike(place, temporary, text);
    // From here on nothing is waited for.
    if (!lock.isHeld() || !readFileSync(place).equals(before)) return false;
    renameSync(temporary, place);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeLike(place: string, temporary: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(place);
  const handle = await open(temporary, "wx");
  try {
    await handle.writeFile(text);
    const own = await handle.stat();
    if (own.uid !== uid || own.gid !== gid) await handOver(() => handle.chown(uid, gid));
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only an administrator can give a file to its owner; for others it becomes their own, as an editor does it. */
async function handOver(chown: () => Promise<void>): Promise<void> {
  try {
    await chown();
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
  }
}
