import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { InputError } from "../base/errors.ts";
import { explaining, readError } from "../base/files/system-errors.ts";
import { quote } from "../base/text/quote.ts";
import { foldersAbove, isSitePath, type SiteFile } from "../base/files/site-file.ts";

/** File managers create these files in folders that they show. */
const litter = [".DS_Store", "Thumbs.db"];

/** The data that programs read: folders and top-level files. All other rendered files are for people or the host. */
const dataFolders = ["v1", "errors", "mirrorlist", "country", "badge", "feed", "api", "client"];
const dataFiles = [
  "feed.atom",
  "feed.json",
  "maintenance.ics",
  "metrics.txt",
  "openapi.json",
  "search.json",
  "client.js",
  "client.d.ts",
];
const signature = ["sha256sums", "sha256sums.minisig"];

/**
 * A file needs a limit, because it is held in memory while it is copied. GitHub Pages limits a whole site to this size.
 */
const maxFileBytes = 2 ** 30;

/**
 * Lists the files of a folder, which may be missing. File contents are read lazily. Throws InputError if a file cannot
 * be read, is too large or not a regular file, has a name that a site cannot contain, or is a link to something outside the folder.
 */
export function readPublic(folder: string): SiteFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const root = readable(folder, () => realpathSync(folder));
  const files: SiteFile[] = [];
  const visit = (above: string, parents: readonly string[]): void => {
    const names = readable(join(folder, above), () => readdirSync(join(folder, above)));
    for (const name of names.filter((name) => !litter.includes(name)).sort()) {
      const path = `${above}${name}`;
      const source = join(folder, path);
      if (!isSitePath(path))
        throw new InputError(`${quote(source)} has a name that a site cannot contain; rename it.`);
      const real = readable(source, () => realpathSync(source));
      if (!`${real}${sep}`.startsWith(`${root}${sep}`))
        throw new InputError(`${quote(source)} leads outside of ${folder}; replace the link with a copy.`);
      if (parents.includes(real))
        throw new InputError(`${quote(source)} links to a folder that contains it; remove the link.`);
      const stats = readable(source, () => statSync(real));
      if (stats.isDirectory()) visit(`${path}/`, [...parents, real]);
      if (stats.isDirectory()) continue;
      if (!stats.isFile()) throw new InputError(`${quote(source)} is not a regular file; remove it.`);
      if (stats.size > maxFileBytes)
        throw new InputError(`${quote(source)} is larger than 1 GiB; remove it.`);
      readable(source, () => {
        accessSync(real, constants.R_OK);
      });
      const read = (): Buffer => readFileSync(real);
      files.push({ path, content: () => explaining(`${quote(source)} cannot be read`, "run again", read) });
    }
  };
  visit("", [root]);
  return files;
}

/**
 * Whether a path belongs to the feed's data, which only a run may write. Ignores case, and dots and spaces at the end
 * of names, because some file systems ignore them, too.
 */
export function isFeedData(path: string): boolean {
  const plain = path.toLowerCase().replaceAll(/[. ]+(?=\/|$)/g, "");
  const [top = ""] = plain.split("/", 1);
  return dataFolders.includes(top) || [...dataFiles, ...signature].includes(plain);
}

/**
 * Lists the operator's files, which are in the folder `public/` next to mirrors.json. Throws InputError if `readPublic`
 * does, or if a file has a path that is reserved for the feed's data. `filledPath` returns the path of what is made of a
 * file, or undefined if the file is copied.
 */
export function readOwnPublic(
  beside: string,
  filledPath: (path: string) => string | undefined = () => undefined,
): SiteFile[] {
  const folder = join(beside, "public");
  const files = readPublic(folder);
  const refused = files.filter(({ path }) => isFeedData(filledPath(path) ?? path));
  if (refused.length > 0)
    throw new InputError(
      `${folder} contains files that only a run may write: ${namesOf(refused)}; remove or rename them.`,
    );
  return files;
}

const maxNames = 10;

/** Returns a list of up to ten paths as text for a sentence, escaped for printing. */
export function namesOf(files: readonly SiteFile[]): string {
  const names = files.slice(0, maxNames).map(({ path }) => quote(path));
  return `${names.join(", ")}${files.length > maxNames ? ` and ${files.length - maxNames} more` : ""}`;
}

/** Merges two lists of files; `over` wins. Throws InputError if a path is a file in one and a folder in the other. */
export function overlay(base: readonly SiteFile[], over: readonly SiteFile[]): SiteFile[] {
  const files = new Map<string, SiteFile>();
  for (const file of [...base, ...over]) files.set(file.path, file);
  const folders = foldersAbove(files.keys());
  const both = [...files.keys()].find((path) => folders.has(path));
  if (both !== undefined)
    throw new InputError(
      `${quote(both)} would be both a folder and a file of the site; rename it in public/.`,
    );
  return [...files.values()];
}

function readable<Result>(source: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw readError(error, quote(source)) ?? error;
  }
}
