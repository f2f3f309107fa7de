import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { tmpdir } from "node:os";
import { explaining } from "./system-errors.ts";

/**
 * Makes a folder and its parents, unless they exist. Throws the system's error. The `recursive` option of Node.js 20.20
 * loops forever if the system reports ENOENT below a folder that exists, as in a removed working directory.
 */
export function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Makes a new folder for temporary files and returns its absolute path. Throws InputError if that fails. */
export function makeTemporaryFolder(name: string): string {
  // TMPDIR may be relative, but programs run in the folder with an absolute path.
  const parent = resolve(tmpdir());
  const failure = `No temporary folder can be made in ${parent}`;
  return explaining(failure, "set TMPDIR to a folder that exists and can be written", () =>
    mkdtempSync(join(parent, `mirrorfeed-${name}-`)),
  );
}
