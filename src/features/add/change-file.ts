import { realpath, stat } from "node:fs/promises";
import { InputError } from "../../core/base/errors.ts";
import { fileError } from "../../core/base/files/system-errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { replaceFiles } from "../../core/base/files/replace-file.ts";

const maxBytes = 64 * 1024 * 1024;

/**
 * Atomically replaces a UTF-8 text file with the text from `change`. Preserves symbolic links and the file's mode.
 * Passes on errors from `change`, and throws InputError if the file cannot be read or
 * written, or was changed in the meantime.
 */
export async function changeFile<Result extends { readonly text: string }>(
  file: string,
  change: (text: string) => Result,
): Promise<Result> {
  const read = () => readText(file, maxBytes, "make one with mirrorfeed init, or name yours with --config");
  const text = await read();
  const changed = change(text);
  if (changed.text === text) return changed;
  try {
    const path = await realpath(file);
    const { mode } = await stat(path);
    if ((await read()) !== text) throw new InputError(`${file} was changed in the meantime; run again.`);
    replaceFiles([{ file: path, content: changed.text }], { mode });
    return changed;
  } catch (error) {
    throw fileError(error, `${file} cannot be written`, "name another file with --config") ?? error;
  }
}
