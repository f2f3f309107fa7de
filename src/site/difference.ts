import { isSitePath } from "../site-file.ts";

/** A file of a branch, as `git ls-tree` tells of it. */
export interface BranchFile {
  readonly mode: string;
  readonly id: string;
}

/** What must happen to a branch so that it holds the site. */
export interface Difference {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  /** The branch holds what cannot be changed piece by piece: all of the site must be laid down anew. */
  readonly isAnew: boolean;
}

/** The mode of a plain file, the only kind that is published. */
export const plainFile = "100644";

/** gh-pages hands all paths to one git, and the command line of Windows is 32 KiB long. */
const mostGoneBytes = 24 * 1024;

/** What gh-pages takes for a name and for no pattern; every document of mirrorfeed has such a name. */
const plainName = /^[\w./-]+$/;

/**
 * Compares the files of a branch with the ids of the files of the site. A link, a submodule or a program on the branch
 * is never written through: then, or where gh-pages cannot be told all that is gone, everything is laid down anew.
 */
export function compare(
  branch: ReadonlyMap<string, BranchFile>,
  site: ReadonlyMap<string, string>,
): Difference {
  const changed = [...site].filter(([path, id]) => !isSame(branch.get(path), id)).map(([path]) => path);
  const gone = [...branch.keys()].filter((path) => !site.has(path));
  const isOdd = [...branch].some(([path, { mode }]) => mode !== plainFile || !isSitePath(path));
  const goneBytes = gone.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
  const isTellable = goneBytes <= mostGoneBytes && gone.every((path) => plainName.test(path));
  return { changed, gone, isAnew: isOdd || !isTellable };
}

/** Whether a branch holds exactly the site. */
export function isEqual(branch: ReadonlyMap<string, BranchFile>, site: ReadonlyMap<string, string>): boolean {
  return branch.size === site.size && [...site].every(([path, id]) => isSame(branch.get(path), id));
}

function isSame(file: BranchFile | undefined, id: string): boolean {
  return file?.mode === plainFile && file.id === id;
}

/** Reads what `git ls-tree -r -z` prints. Throws Error where it is something else. */
export function readTree(text: string): Map<string, BranchFile> {
  const files = new Map<string, BranchFile>();
  for (const line of text.split("\0")) {
    if (line === "") continue;
    const { mode, id, path } = treeLine.exec(line)?.groups ?? {};
    if (mode === undefined || id === undefined || path === undefined) throw new Error("This is no git tree.");
    files.set(path, { mode, id });
  }
  return files;
}

const treeLine = /^(?<mode>\d{6}) \w+ (?<id>[\da-f]{40,64})\t(?<path>.+)$/s;
