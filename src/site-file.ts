import { quote } from "./quote.ts";

/** A file of the site: its path relative to the root, with forward slashes and no leading one. */
export interface SiteFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** The paths of files, and of the folders above them. */
export interface Tree {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** The folder in a site that is mirrorfeed's own and never published. */
export const ownFolder = ".mirrorfeed";

/** The file systems of this world allow no longer ones. */
const longestPath = 1024;

/** NUL ends a path, a backslash parts it on Windows, and what is not UTF-8 is read under another name. */
const unsafeCharacter = /[\0\\\ufffd\p{Cs}]/u;

/** Empty, `.` and `..`, and what Windows takes for them: it drops dots and spaces at the end of a name. */
const leadsElsewhere = /(?:^|\/)[. ]*(?:\/|$)/;
const leadsIntoOwnFolder = /^\.mirrorfeed[. ]*(?:\/|$)/i;

/** Whether a path may be a site's: it stays inside the site on every system, and out of mirrorfeed's own folder. */
export function isSitePath(path: string): boolean {
  if (path.length > longestPath) return false;
  return !unsafeCharacter.test(path) && !leadsElsewhere.test(path) && !leadsIntoOwnFolder.test(path);
}

/** Every folder above these paths, each before the folders inside it. */
export function foldersAbove(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  const add = (path: string): void => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (folder === "" || folders.has(folder)) return;
    add(folder);
    folders.add(folder);
  };
  for (const path of paths) add(path);
  return folders;
}

/** The tree these files make. Throws Error where they cannot be a site: two at one path, or a path that is none. */
export function treeOf(files: readonly SiteFile[]): Tree {
  const outside = files.find(({ path }) => !isSitePath(path));
  if (outside !== undefined) throw new Error(`${quote(outside.path)} is no path of a site`);
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length) throw new Error("two files of the site have the same path");
  const folders = foldersAbove(paths);
  const both = files.find(({ path }) => folders.has(path));
  if (both !== undefined) throw new Error(`${quote(both.path)} is a file and a folder of the site`);
  return { files: paths, folders };
}
