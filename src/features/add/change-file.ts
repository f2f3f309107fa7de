import { readFileSync } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import { InputError } from "../../core/base/errors.ts";
import { fileError } from "../../core/base/files/system-errors.ts";
import { type LockOptions, takeLock } from "../../core/base/files/lock.ts";
import { replaceFiles } from "../../core/base/files/replace-file.ts";
import { decodeUtf8, readBytes } from "../../core/base/files/read-text.ts";

const maxBytes = 64 * 1024 * 1024;
const remedy = "make one with mirrorfeed init, or name yours with --config";

/**
 * Atomically replaces a UTF-8 text file with the text from `change`. Preserves symbolic links and the file's mode.
 * Passes on errors from `change`, and throws InputError if the file cannot be read or written, or if another program
 * changes it at the same time.
 */
export async function changeFile<Result extends { readonly text: string }>(
  file: string,
  change: (text: string) => Result,
  options: LockOptions,
): Promise<Result> {
  // Report an unreadable file before creating a lock next to it.
  await readBytes(file, maxBytes, remedy);
  try {
    const path = await realpath(file);
    await access(path, constants.W_OK);
    const lock = await takeLock(`${path}.lock`, options);
    try {
      const before = await readBytes(path, maxBytes, remedy);
      const text = decodeUtf8(before, path);
      const changed = change(text);
      const isAllowed = (): boolean => lock.isHeld() && readFileSync(path).equals(before);
      const replacement = { file: path, content: changed.text };
      if (changed.text === text || replaceFiles([replacement], { like: await stat(path), isAllowed }))
        return changed;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw fileError(error, `${file} cannot be written`, "name another file with --config") ?? error;
  }
  throw new InputError(`${file} was changed by another program at the same time; run again.`);
}
