import { readFileSync } from "node:fs";
import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { InputError } from "../errors.ts";
import { fileError } from "../files/system-errors.ts";
import { type LockOptions, takeLock } from "../files/lock.ts";
import { removeLeftovers, replaceFiles } from "../files/replace-file.ts";
import { readText } from "../files/read-text.ts";

const maxBytes = 64 * 1024 * 1024;
const maxTries = 10;
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
  await readText(file, maxBytes, remedy);
  try {
    const place = await realpath(file);
    await refuseReadOnly(place, file);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const changed = await changeLocked(place, remedy, change, options);
      if (changed !== undefined) return changed;
    }
  } catch (error) {
    throw fileError(error, `${file} cannot be written`, "name another file with --config") ?? error;
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
    const text = await readText(place, maxBytes, remedy);
    const before = await readFile(place);
    const mark = before.indexOf(byteOrderMark) === 0 ? byteOrderMark : "";
    if (!before.equals(Buffer.from(mark + text))) return undefined;
    const changed = change(text);
    removeLeftovers(dirname(place), `${basename(place)}.`, { isOnly: true });
    const isDone = replaceFiles([{ file: place, content: mark + changed.text }], {
      processes: options.processes,
      like: await stat(place),
      isAllowed: () => lock.isHeld() && readFileSync(place).equals(before),
    });
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
