import { isSitePath } from "../files/site-file.ts";

/** A file of a branch, as Git reports it. */
export interface BranchFile {
  readonly mode: string;
  readonly id: string;
}

/** What must change in a branch so that it holds the site. */
export interface Difference {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** The branch holds names that Git does not accept back as it printed them, so nothing of it can stay. */
  readonly replacesAll: boolean;
}

/** The mode of a plain file, the only type that is published. */
export const plainFile = "100644";

/** The mode that Git reports for a deleted file. */
const noFile = "000000";

/** Returns the difference between the files of a branch and those of the site. */
export function compare(
  branch: ReadonlyMap<string, BranchFile>,
  site: ReadonlyMap<string, string>,
): Difference {
  const changed = [...site].filter(([path, id]) => !isSame(branch.get(path), id)).map(([path]) => path);
  const removed = [...branch.keys()].filter((path) => !site.has(path));
  return { changed, removed, replacesAll: removed.some((path) => !isSitePath(path)) };
}

/** Returns whether Git has made exactly these changes: changed files as in the site, deleted files removed, no others. */
export function isApplied(
  made: ReadonlyMap<string, BranchFile>,
  { changed, removed }: Pick<Difference, "changed" | "removed">,
  site: ReadonlyMap<string, string>,
): boolean {
  return (
    made.size === changed.length + removed.length &&
    changed.every((path) => isSame(made.get(path), site.get(path))) &&
    removed.every((path) => made.get(path)?.mode === noFile)
  );
}

function isSame(file: BranchFile | undefined, id: string | undefined): boolean {
  return file?.mode === plainFile && file.id === id;
}

/** Returns the files that `git ls-tree -r -z` printed. Throws Error for any other text. */
export function parseTree(text: string): Map<string, BranchFile> {
  const files = new Map<string, BranchFile>();
  for (const line of text.split("\0")) {
    if (line === "") continue;
    const { mode, id, path } = treeLine.exec(line)?.groups ?? {};
    if (mode === undefined || id === undefined || path === undefined)
      throw new Error("This is not a Git tree.");
    files.set(path, { mode, id });
  }
  return files;
}

const treeLine = /^(?<mode>\d{6}) \w+ (?<id>[\da-f]{40,64})\t(?<path>.+)$/s;

/**
 * Returns the changed files that `git diff-tree -r -z` printed, as they are afterwards. Throws Error for any other
 * text.
 */
export function parseChanges(text: string): Map<string, BranchFile> {
  const files = new Map<string, BranchFile>();
  const parts = text.split("\0");
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const { mode, id } = change.exec(parts[index] ?? "")?.groups ?? {};
    const path = parts[index + 1];
    if (mode === undefined || id === undefined || path === undefined)
      throw new Error("This is not a Git diff.");
    files.set(path, { mode, id });
  }
  return files;
}

const change = /^:\d{6} (?<mode>\d{6}) [\da-f]{40,64} (?<id>[\da-f]{40,64}) [ADMT]$/;
