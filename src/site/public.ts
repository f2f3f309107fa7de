import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { InputError } from "../errors.ts";
import { explaining, readError } from "../files/system-errors.ts";
import { quote } from "../text/quote.ts";
import { foldersAbove, isSitePath, LazyFile, type SiteFile } from "../files/site-file.ts";

/** What file managers leave in the folders they show. */
const litter = [".DS_Store", "Thumbs.db"];

/**
 * Lists the files in a folder and in those below it, to be copied to the site as they are; none if there is no such
 * folder. Each is read when its turn comes. Throws InputError if one cannot be read, has a name no site can have, or is a
 * link that leads outside.
 */
export function readPublic(folder: string): SiteFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const root = readable(folder, () => realpathSync(folder));
  const files: SiteFile[] = [];
  const visit = (above: string, parents: readonly string[]): void => {
    const names = readable(join(folder, above), () => readdirSync(join(folder, above)));
    for (const name of names.filter((name) => !litter.includes(name)).sort()) {
      const path = `${above}${name}`;
      const place = join(folder, path);
      if (!isSitePath(path))
        throw new InputError(`${quote(place)} has a name that no site can have; rename it.`);
      const real = readable(place, () => realpathSync(place));
      if (!`${real}${sep}`.startsWith(`${root}${sep}`))
        throw new InputError(`${quote(place)} leads out of ${folder}; replace the link by a copy.`);
      if (parents.includes(real))
        throw new InputError(`${quote(place)} leads back to a folder it is in; remove the link.`);
      const stats = readable(place, () => statSync(real));
      if (stats.isDirectory()) visit(`${path}/`, [...parents, real]);
      if (!stats.isFile()) continue;
      readable(place, () => {
        accessSync(real, constants.R_OK);
      });
      const read = (): Buffer => readFileSync(real);
      files.push(new LazyFile(path, () => explaining(`${quote(place)} cannot be read`, "run again", read)));
    }
  };
  visit("", [root]);
  return files;
}

/** The files of both, those of `over` in place of those at the same path. Throws InputError where one is a folder of the other. */
export function overlay(base: readonly SiteFile[], over: readonly SiteFile[]): SiteFile[] {
  const files = new Map<string, SiteFile>();
  for (const file of [...base, ...over]) files.set(file.path, file);
  const folders = foldersAbove(files.keys());
  const both = [...files.keys()].find((path) => folders.has(path));
  if (both !== undefined)
    throw new InputError(`${quote(both)} is a folder and a file of the site; rename it in public/.`);
  return [...files.values()];
}

function readable<Result>(place: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw readError(error, quote(place)) ?? error;
  }
}
