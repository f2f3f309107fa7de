import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { explaining } from "./system-errors.ts";

/**
 * Makes a new folder for temporary files and returns its absolute path, which begins with `name`. Throws InputError if
 * the system's folder for them does not take it.
 */
export function makeTemporaryFolder(name: string): string {
  // TMPDIR may be relative, but programs run in the folder with an absolute path.
  const parent = resolve(tmpdir());
  const failure = `No temporary folder can be made in ${parent}`;
  return explaining(failure, "set TMPDIR to a folder that exists and can be written", () =>
    mkdtempSync(join(parent, `mirrorfeed-${name}-`)),
  );
}
