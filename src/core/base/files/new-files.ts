import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../errors.ts";
import { makeFolder } from "./folders.ts";
import { contentOf, type SiteFile } from "./site-file.ts";
import { explaining, rethrowing } from "./system-errors.ts";

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
  const created: string[] = [];
  try {
    for (const one of files) {
      const file = join(folder, one.path);
      makeFolder(dirname(file));
      refuseExisting(file, remedy);
      // The file may be created before the write fails.
      created.push(file);
      writeFileSync(file, contentOf(one), { flag: "wx", flush: true });
    }
  } catch (error) {
    for (const file of created) rmSync(file, { force: true });
    rethrowing(`${folder} cannot be written`, elsewhere)(error);
  }
}
