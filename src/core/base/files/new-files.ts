import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../errors.ts";
import { makeFolder } from "./folders.ts";
import { replaceFiles } from "./replace-file.ts";
import { contentOf, type SiteFile } from "./site-file.ts";
import { explaining } from "./system-errors.ts";

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
