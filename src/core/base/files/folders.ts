import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../errors.ts";
import { tmpdir } from "node:os";
import { explaining } from "./system-errors.ts";

/** Avoids the `recursive` option, which loops forever in Node.js 20.20 in /proc and in a removed working directory. */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Returns the absolute path of the new folder. Throws InputError if it cannot be created. */
export function makeTemporaryFolder(name: string): string {
  // TMPDIR may be relative, but programs that run in other folders need an absolute path.
  const parent = resolve(tmpdir());
  const failure = `Cannot create a temporary folder in ${parent}`;
  return explaining(failure, "set TMPDIR to an existing, writable folder", () =>
    mkdtempSync(join(parent, `mirrorfeed-${name}-`)),
  );
}
