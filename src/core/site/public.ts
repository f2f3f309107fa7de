import { accessSync, constants, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../base/errors.ts";
import { explaining, readError } from "../base/files/system-errors.ts";
import { quote } from "../base/text/quote.ts";
import { foldersAbove, isSitePath, type SiteFile } from "../base/files/site-file.ts";

/** File managers create these files in folders that they show. */
const litter = [".DS_Store", "Thumbs.db"];

/** The data that programs read: folders and top-level files. All other rendered files are for people or the host. */
const dataFolders = ["v1", "errors", "mirrorlist", "country", "badge", "feed", "api", "client"];
const dataFiles = ["feed.atom", "feed.json", "maintenance.ics", "metrics.txt", "openapi.json", "search.json"];
const clientFiles = ["client.js", "client.d.ts"];
const signature = ["sha256sums", "sha256sums.minisig"];

/** Lists a folder's files, if it exists. Reads them lazily. Throws InputError for links and names that no site has. */
export function readPublic(folder: string): SiteFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const files: SiteFile[] = [];
  const visit = (above: string): void => {
    const place = join(folder, above);
    for (const entry of readable(place, () => readdirSync(place, { withFileTypes: true }))) {
      if (litter.includes(entry.name)) continue;
      const path = `${above}${entry.name}`;
      const source = join(folder, path);
      if (!isSitePath(path))
        throw new InputError(`${quote(source)} has a name that a site cannot contain; rename it.`);
      if (entry.isDirectory()) visit(`${path}/`);
      else if (entry.isFile()) files.push({ path, content: readerOf(source) });
      else throw new InputError(`${quote(source)} is a link or a special file; replace it with a copy.`);
    }
  };
  visit("");
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function readerOf(source: string): () => Buffer {
  readable(source, () => {
    accessSync(source, constants.R_OK);
  });
  return () => explaining(`${quote(source)} cannot be read`, "run again", () => readFileSync(source));
}

/** Whether only a run may write a path. Ignores case and final dots and spaces, because some file systems do, too. */
export function isFeedData(path: string): boolean {
  const plain = path.toLowerCase().replaceAll(/[. ]+(?=\/|$)/g, "");
  const [top = ""] = plain.split("/", 1);
  return dataFolders.includes(top) || [...dataFiles, ...clientFiles, ...signature].includes(plain);
}

/**
 * Lists the operator's files, in the folder `public/` next to mirrors.json. `filledPath` returns the path of what is
 * made of a file, or undefined if the file is copied. Throws InputError if a path belongs to the feed's data.
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
  const files = new Map([...base, ...over].map((file) => [file.path, file]));
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
