import { quote } from "../text/quote.ts";

/** A file of the site. Its path is relative to the root, with forward slashes and no leading slash. */
export interface SiteFile<Content extends string | Uint8Array = string | Uint8Array> {
  readonly path: string;
  /** A function renders or reads the content on each call, so that a large site is never held in memory as a whole. */
  readonly content: Content | (() => Content);
}

export type TextFile = SiteFile<string>;

export function contentOf<Content extends string | Uint8Array>({ content }: SiteFile<Content>): Content {
  return typeof content === "function" ? content() : content;
}

export type Tree = Readonly<Record<"files" | "folders", ReadonlySet<string>>>;

/** mirrorfeed's own folder inside a site. It is never published. */
export const internalFolder = ".mirrorfeed";

/** The longest path that common file systems accept. */
const maxPathLength = 1024;

// Windows treats a backslash as a slash, and a file system may replace text that is not UTF-8.
const unsafeCharacter = /[\\\ufffd\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Matches segments of dots and spaces, because Windows may read `.. ` as `..`. */
const leadsElsewhere = /(?:^|\/)[. ]*(?:\/|$)/;
const leadsIntoOwnFolder = /^\.mirrorfeed[. ]*(?:\/|$)/i;

/** Returns whether a path stays inside the site on every system, and outside mirrorfeed's own folder. */
export function isSitePath(path: string): boolean {
  if (path.length > maxPathLength) return false;
  return !unsafeCharacter.test(path) && !leadsElsewhere.test(path) && !leadsIntoOwnFolder.test(path);
}

/** Parents come first. */
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

/** Throws Error if a path is not valid in a site, belongs to two files, or is both a file and a folder. */
export function treeOf(files: readonly SiteFile[]): Tree {
  const outside = files.find(({ path }) => !isSitePath(path));
  if (outside !== undefined) throw new Error(`${quote(outside.path)} is not a valid site path`);
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length) throw new Error("two site files have the same path");
  const folders = foldersAbove(paths);
  const both = files.find(({ path }) => folders.has(path));
  if (both !== undefined) throw new Error(`${quote(both.path)} is both a file and a folder of the site`);
  return { files: paths, folders };
}
