import { lstatSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, InputError } from "../errors.ts";
import { makeFolder } from "./folders.ts";
import { contentOf, type SiteFile } from "./site-file.ts";
import { explaining, fileError } from "./system-errors.ts";

export function refuseExisting(file: string, remedy: string): void {
  if (pathExists(file)) throw existingError(file, remedy);
}

/** Counts a dangling symbolic link as existing. Throws InputError if the path cannot be read. */
export function pathExists(path: string): boolean {
  const find = (): unknown => lstatSync(path, { throwIfNoEntry: false });
  return explaining(`${path} cannot be read`, elsewhere, find) !== undefined;
}

/** Writes new files, all or none. Throws InputError. If a file exists, the message ends with `remedy`. */
export async function writeNewFiles(folder: string, files: readonly SiteFile[], remedy: string) {
  const created: string[] = [];
  try {
    for (const one of files) {
      const file = resolve(folder, one.path);
      makeFolder(dirname(file));
      await writeFile(file, contentOf(one), { flag: "wx", flush: true }).catch((error: unknown) => {
        if (errorCode(error) === "EEXIST") throw existingError(join(folder, one.path), remedy);
        // The file may have been created before the write failed.
        created.push(file);
        throw error;
      });
      created.push(file);
    }
  } catch (error) {
    for (const file of created) await rm(file, { force: true });
    throw fileError(error, `${folder} cannot be written`, elsewhere) ?? error;
  }
}

const elsewhere = "name another folder";

function existingError(file: string, remedy: string): InputError {
  return new InputError(`${file} already exists, and ${remedy}.`);
}
