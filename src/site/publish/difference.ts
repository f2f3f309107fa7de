import { isSitePath } from "../../site-file.ts";

/** A file of a branch, as git tells of it. */
export interface BranchFile {
  readonly mode: string;
  readonly id: string;
}

/** What must happen to a branch so that it holds the site. */
export interface Difference {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  /** The branch holds names that git would not know by what it told of them: nothing of it can stay. */
  readonly isAnew: boolean;
}

/** The mode of a plain file, the only kind that is published. */
export const plainFile = "100644";

/** The mode that git gives to a file which is gone. */
const noFile = "000000";

/** Compares the files of a branch with the ids of the files of the site. */
export function compare(
  branch: ReadonlyMap<string, BranchFile>,
  site: ReadonlyMap<string, string>,
): Difference {
  const changed = [...site].filter(([path, id]) => !isSame(branch.get(path), id)).map(([path]) => path);
  const gone = [...branch.keys()].filter((path) => !site.has(path));
  return { changed, gone, isAnew: gone.some((path) => !isSitePath(path)) };
}

/** Whether git has changed these files to what the site has, those that are gone to nothing, and no others. */
export function isCarriedOut(
  made: ReadonlyMap<string, BranchFile>,
  { changed, gone }: Pick<Difference, "changed" | "gone">,
  site: ReadonlyMap<string, string>,
): boolean {
  return (
    made.size === changed.length + gone.length &&
    changed.every((path) => isSame(made.get(path), site.get(path))) &&
    gone.every((path) => made.get(path)?.mode === noFile)
  );
}

function isSame(file: BranchFile | undefined, id: string | undefined): boolean {
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

/** Reads what `git diff-tree -r -z` prints: the files as they are afterwards. Throws Error where it is something else. */
export function readChanges(text: string): Map<string, BranchFile> {
  const files = new Map<string, BranchFile>();
  const parts = text.split("\0");
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const { mode, id } = change.exec(parts[index] ?? "")?.groups ?? {};
    const path = parts[index + 1];
    if (mode === undefined || id === undefined || path === undefined) throw new Error("This is no git diff.");
    files.set(path, { mode, id });
  }
  return files;
}

const change = /^:\d{6} (?<mode>\d{6}) [\da-f]{40,64} (?<id>[\da-f]{40,64}) [ADMT]$/;
