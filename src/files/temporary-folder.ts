import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileError } from "./system-errors.ts";

/**
 * Makes a new folder for temporary files and returns its absolute path, which begins with `name`. Throws InputError if
 * the system's folder for them does not take it.
 */
export function makeTemporaryFolder(name: string): string {
  // TMPDIR may be relative, but programs run in the folder with an absolute path.
  const parent = resolve(tmpdir());
  try {
    return mkdtempSync(join(parent, `mirrorfeed-${name}-`));
  } catch (error) {
    const failure = `No temporary folder can be made in ${parent}`;
    throw fileError(error, failure, "set TMPDIR to a folder that exists and can be written") ?? error;
  }
}
