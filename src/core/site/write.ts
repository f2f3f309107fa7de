import { join } from "node:path";
import fs from "fs-extra";
import { errorCode } from "../base/errors.ts";
import { removeLeftovers, replaceFiles } from "../base/files/replace-file.ts";
import { explaining } from "../base/files/system-errors.ts";
import {
  contentOf,
  foldersAbove,
  internalFolder,
  type SiteFile,
  type Tree,
  treeOf,
} from "../base/files/site-file.ts";
import {
  elsewhere,
  readManifest,
  isLink,
  type Manifest,
  manifestPath,
  manifestText,
  obstacleError,
  requireManifest,
} from "./manifest.ts";

/**
 * Writes new and changed files to the folder `out`, and removes files of earlier writes that are no longer wanted. If
 * the process is killed, every file is still complete, and the next write repairs the rest. Throws InputError before
 * any change if the folder has another program's files. `onFile` can stop the write by throwing.
 */
export function writeSite(out: string, files: readonly SiteFile[], onFile?: () => void) {
  const wanted = treeOf(files);
  return explaining(`${out} cannot be written`, elsewhere, () => {
    fs.ensureDirSync(out);
    const before = requireManifest(out);
    const plan = planWrite(out, before, wanted);
    fs.ensureDirSync(join(out, internalFolder));
    removeLeftovers(join(out, internalFolder), "");
    return executePlan(plan, out, files, before, onFile);
  });
}

/** Adds text files, by path, to the site. The next write removes them unless it writes to the same paths. */
export function addToSite(out: string, texts: Readonly<Record<string, string>>): void {
  const added = Object.entries(texts).map(([path, content]) => ({ file: join(out, path), content }));
  explaining(`${out} cannot be written`, elsewhere, () => {
    if (readManifest(out) === undefined) return replaceFiles(added);
    const before = requireManifest(out);
    const content = manifestText({ ...before, files: [...before.files, ...Object.keys(texts)] });
    const prefix = join(out, internalFolder, "/");
    return replaceFiles([{ file: join(out, manifestPath), content }, ...added], { prefix });
  });
}

/** Returns what a write will do on disk. The plan is made before the first change, without comparing contents. */
function planWrite(out: string, before: Manifest, wanted: Tree) {
  const owned = { files: new Set(before.files), folders: foldersAbove(before.files) };
  const entries = listEntries(out, new Set([...owned.folders, ...wanted.folders]));
  checkObstacles(out, entries, owned, wanted);
  const isFile = (path: string): boolean => entries.get(path) === "file";
  const isFolder = (path: string): boolean => entries.get(path) === "folder";
  const isConflicting = (path: string): boolean =>
    wanted.folders.has(path) || [path, ...foldersAbove([path])].some((one) => wanted.files.has(one));
  const removed = before.files.filter((path) => !wanted.files.has(path) && isFile(path));
  const emptied = [...owned.folders].filter((path) => !wanted.folders.has(path) && isFolder(path));
  // Folders come after their files, and subfolders before their parents.
  const unwanted = [...removed, ...emptied.reverse()];
  return {
    isFile,
    /** Removals that make room for new files and folders. They come first. */
    conflicting: unwanted.filter(isConflicting),
    /** All other removals. They come last, because clients that have old documents may still follow their links. */
    obsolete: unwanted.filter((path) => !isConflicting(path)),
    missingFolders: [...wanted.folders].filter((path) => !isFolder(path)),
    /** Lists all files that can exist during the write, so it is written before the first change. */
    during: manifestText({ schema: 1, finished: false, files: [...before.files, ...wanted.files] }),
    after: manifestText({ schema: 1, finished: true, files: [...wanted.files] }),
  };
}

type EntryKind = "file" | "folder" | "link" | "other";

function listEntries(out: string, folders: ReadonlySet<string>): Map<string, EntryKind> {
  const entries = new Map<string, EntryKind>();
  const visit = (above: string): void => {
    for (const entry of fs.readdirSync(join(out, above), { withFileTypes: true })) {
      const path = `${above}${entry.name}`;
      const isFolder = entry.isDirectory();
      const other = entry.isSymbolicLink() ? "link" : "other";
      entries.set(path, isFolder ? "folder" : entry.isFile() ? "file" : other);
      if (isFolder && folders.has(path)) visit(`${path}/`);
    }
  };
  visit("");
  return entries;
}

/** Throws InputError if mirrorfeed would have to follow a link or replace something that it did not write. */
function checkObstacles(out: string, entries: ReadonlyMap<string, EntryKind>, owned: Tree, wanted: Tree) {
  for (const [path, kind] of entries) {
    if (kind === "file" ? owned.files.has(path) : kind === "folder" && owned.folders.has(path)) continue;
    const isNeeded = wanted.files.has(path) || (wanted.folders.has(path) && kind !== "folder");
    const wasOwned = owned.files.has(path) || owned.folders.has(path);
    if (kind === "link" && (isNeeded || wasOwned)) throw obstacleError(out, path, isLink);
    const isBelowFile = [...foldersAbove([path])].some((folder) => wanted.files.has(folder));
    if (isNeeded || isBelowFile)
      throw obstacleError(out, path, "is in the way of the site, and mirrorfeed did not write it");
  }
}

function hasContent(file: string, bytes: Uint8Array): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && fs.readFileSync(file).equals(bytes);
}

function executePlan(
  { isFile, conflicting, obsolete, missingFolders, during, after }: ReturnType<typeof planWrite>,
  out: string,
  files: readonly SiteFile[],
  before: Manifest,
  onFile?: () => void,
) {
  const prefix = join(out, internalFolder, "/");
  let manifest = manifestText(before);
  const writeManifest = (content: string): void => {
    if (manifest !== content) replaceFiles([{ file: join(out, manifestPath), content }], { prefix });
    manifest = content;
  };
  const remove = (paths: readonly string[]): void => {
    for (const path of paths) {
      writeManifest(during);
      removeIfPossible(isFile(path) ? fs.unlinkSync : fs.rmdirSync, join(out, path));
    }
  };
  let written = 0;
  remove(conflicting);
  if (missingFolders.length > 0) writeManifest(during);
  for (const path of missingFolders) fs.ensureDirSync(join(out, path));
  for (const one of files) {
    onFile?.();
    const file = join(out, one.path);
    const made = contentOf(one);
    const content = typeof made === "string" ? Buffer.from(made) : made;
    if (isFile(one.path) && hasContent(file, content)) continue;
    writeManifest(during);
    replaceFiles([{ file, content }], { prefix, flush: false });
    written += 1;
  }
  remove(obsolete);
  writeManifest(after);
  const removed = [...conflicting, ...obsolete].filter(isFile).length;
  return { written, unchanged: files.length - written, removed };
}

/** Ignores files that another run has removed, and folders that hold another program's files. */
function removeIfPossible(remove: (path: string) => void, path: string): void {
  try {
    remove(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}
