import { quote } from "../text/quote.ts";

/** A file of the site. Its path is relative to the root, with forward slashes and without a leading one. */
export interface SiteFile<Content extends string | Uint8Array = string | Uint8Array> {
  readonly path: string;
  /** A function renders or reads it anew on each call, so that a large site is never in memory as a whole. */
  readonly content: Content | (() => Content);
}

export type TextFile = SiteFile<string>;

export function contentOf<Content extends string | Uint8Array>({ content }: SiteFile<Content>): Content {
  return typeof content === "function" ? content() : content;
}

export interface Tree {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** mirrorfeed's own folder inside a site. It is never published. */
export const internalFolder = ".mirrorfeed";

/** The longest path that common file systems accept. */
const maxPathLength = 1024;

/** NUL ends a path, Windows splits it at a backslash, and text that is not UTF-8 gets another name. */
const unsafeCharacter = /[\0\\\ufffd\p{Cs}]/u;

/** Empty, `.` and `..`, and names that Windows reads as those: it drops dots and spaces at the end. */
const leadsElsewhere = /(?:^|\/)[. ]*(?:\/|$)/;
const leadsIntoOwnFolder = /^\.mirrorfeed[. ]*(?:\/|$)/i;

/** Returns whether a path is inside the site on every system, outside mirrorfeed's own folder. */
export function isSitePath(path: string): boolean {
  if (path.length > maxPathLength) return false;
  return !unsafeCharacter.test(path) && !leadsElsewhere.test(path) && !leadsIntoOwnFolder.test(path);
}

/** Returns every folder above these paths, parents first. */
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

/** Returns the tree of these files. Throws Error if two have the same path or a path cannot be in a site. */
export function treeOf(files: readonly SiteFile[]): Tree {
  const outside = files.find(({ path }) => !isSitePath(path));
  if (outside !== undefined) throw new Error(`${quote(outside.path)} is not a path of a site`);
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length) throw new Error("two files of the site have the same path");
  const folders = foldersAbove(paths);
  const both = files.find(({ path }) => folders.has(path));
  if (both !== undefined) throw new Error(`${quote(both.path)} is a file and a folder of the site`);
  return { files: paths, folders };
}
