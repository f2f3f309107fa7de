import { existsSync, lstatSync, mkdirSync, mkdtempSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode, InputError } from "../errors.ts";
import { tmpdir } from "node:os";
import { explaining } from "./system-errors.ts";
import { replaceFiles } from "./replace-file.ts";
import { contentOf, type SiteFile } from "./site-file.ts";

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

const elsewhere = "name another folder";

/** Throws InputError if the path exists, even as a dangling symbolic link, or cannot be read. */
export function refuseExisting(path: string, remedy: string): void {
  const stats = explaining(`${path} cannot be read`, elsewhere, () =>
    lstatSync(path, { throwIfNoEntry: false }),
  );
  if (stats !== undefined) throw new InputError(`${path} already exists, and ${remedy}.`);
}

/** Writes new files, all or none. Throws InputError. If a file exists, the message ends with `remedy`. */
export function writeNewFiles(folder: string, files: readonly SiteFile[], remedy: string): void {
  const added = files.map((one) => ({ file: join(folder, one.path), content: contentOf(one) }));
  const areNew = (): true => {
    for (const { file } of added) refuseExisting(file, remedy);
    return true;
  };
  areNew();
  explaining(`${folder} cannot be written`, elsewhere, () => {
    for (const { file } of added) makeFolder(dirname(file));
    return replaceFiles(added, { isAllowed: areNew });
  });
}
