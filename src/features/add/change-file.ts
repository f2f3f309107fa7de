import { readFileSync } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { fileError } from "../../core/base/files/system-errors.ts";
import { type LockOptions, takeLock } from "../../core/base/files/lock.ts";
import { removeLeftovers, replaceFiles } from "../../core/base/files/replace-file.ts";
import { decodeUtf8, readBytes, readText } from "../../core/base/files/read-text.ts";

const maxBytes = 64 * 1024 * 1024;
const maxTries = 10;
const remedy = "make one with mirrorfeed init, or name yours with --config";
const byteOrderMark = "\ufeff";

/**
 * Atomically replaces a UTF-8 text file with the text from `change`, which is called again if another program writes
 * the file in between. Preserves symbolic links and the file's mode. Passes on errors from `change`, and throws
 * InputError if the file cannot be read or written.
 */
export async function changeFile<Result extends { readonly text: string }>(
  file: string,
  change: (text: string) => Result,
  options: LockOptions,
): Promise<Result> {
  // Report an unreadable file before creating a lock next to it.
  await readText(file, maxBytes, remedy);
  try {
    const path = await realpath(file);
    // Check the mode, because replacing a read-only file needs only a writable folder, and root can write to any file.
    if (((await stat(path)).mode & 0o222) === 0)
      throw new InputError(`${file} is read-only; make it writable and run again.`);
    await access(path, constants.W_OK);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const changed = await changeLocked(path, change, options);
      if (changed !== undefined) return changed;
    }
  } catch (error) {
    throw fileError(error, `${file} cannot be written`, "name another file with --config") ?? error;
  }
  throw new InputError(
    `${file} was changed by another program during each of ${maxTries} attempts; run again when that program is done.`,
  );
}

/** Returns undefined if another program changed the file, or took over the lock, in the meantime. */
async function changeLocked<Result extends { readonly text: string }>(
  path: string,
  change: (text: string) => Result,
  options: LockOptions,
): Promise<Result | undefined> {
  const lock = await takeLock(`${path}.lock`, options);
  try {
    const before = await readBytes(path, maxBytes, remedy);
    const text = decodeUtf8(before, path);
    const mark = before.indexOf(byteOrderMark) === 0 ? byteOrderMark : "";
    const changed = change(text);
    if (changed.text === text) return changed;
    removeLeftovers(dirname(path), `${basename(path)}.`);
    const isDone = replaceFiles([{ file: path, content: mark + changed.text }], {
      like: await stat(path),
      isAllowed: () => lock.isHeld() && readFileSync(path).equals(before),
    });
    return isDone ? changed : undefined;
  } finally {
    lock.release();
  }
}
