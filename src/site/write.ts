import { join } from "node:path";
import fs from "fs-extra";
import { errorCode } from "../base/errors.ts";
import { removeLeftovers, type ReplaceOptions, replaceFiles } from "../base/files/replace-file.ts";
import { explaining } from "../base/files/system-errors.ts";
import type { Processes } from "../base/files/signature.ts";
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
  isLink,
  type Manifest,
  manifestPath,
  manifestText,
  obstacleError,
  requireManifest,
} from "./manifest.ts";

/** The number of files that were written, unchanged and removed. */
export interface WriteSummary {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** The steps of a write, derived from paths alone, before anything changes on disk. */
interface WritePlan {
  /** The removals that make room for new files and folders. They come first. */
  readonly conflicting: Removals;
  /** All other removals. They come last. */
  readonly obsolete: Removals;
  readonly missingFolders: readonly string[];
  readonly existing: ReadonlySet<string>;
  /** The manifests during and after the write. */
  readonly during: Manifest;
  readonly after: Manifest;
}

interface Removals {
  readonly files: readonly string[];
  /** Folders that become empty. Subfolders come before their parents. */
  readonly folders: readonly string[];
}

/**
 * Writes these files to the folder `out` and removes other files of earlier writes. Files of other programs stay. It renders,
 * compares and replaces one file at a time, only if its bytes differ. If the process is killed, every file is still whole, and
 * the next write repairs the rest. Without `processes`, the temporary file of a killed run stays for an hour. Before any change
 * it throws InputError if the folder has files of another program or cannot be written, and Error if a path is invalid.
 * Calls `onFile` before it compares each file. What that throws ends the write.
 */
export function writeSite(
  out: string,
  files: readonly SiteFile[],
  processes?: Processes,
  onFile?: () => void,
): WriteSummary {
  const wanted = treeOf(files);
  return explaining(`${out} cannot be written`, elsewhere, () => {
    fs.ensureDirSync(out);
    const before = requireManifest(out);
    const plan = planWrite(out, before, wanted);
    const folder = join(out, internalFolder);
    fs.ensureDirSync(folder);
    removeLeftovers(folder, "", { processes });
    return executePlan(plan, out, files, before, { processes, prefix: join(folder, "/"), onFile });
  });
}

function planWrite(out: string, before: Manifest, wanted: Tree): WritePlan {
  const above = foldersAbove(before.files);
  const made = new Set(above);
  for (const path of before.found) made.delete(path);
  const owned = { files: new Set(before.files), folders: made };
  const entries = listEntries(out, new Set([...above, ...wanted.folders]));
  checkObstacles(out, entries, owned, wanted);
  const existing = new Set([...wanted.files].filter((path) => entries.get(path) === "file"));
  const isFolder = (path: string): boolean => entries.get(path) === "folder";
  const isConflicting = (path: string): boolean =>
    wanted.folders.has(path) || [path, ...foldersAbove([path])].some((one) => wanted.files.has(one));
  const removed = before.files.filter((path) => !wanted.files.has(path) && entries.get(path) === "file");
  const emptied = [...made].filter((path) => !wanted.folders.has(path) && isFolder(path)).reverse();
  const found = [...wanted.folders].filter((path) => !made.has(path) && isFolder(path));
  const during = { found: [...before.found, ...found], files: [...before.files, ...wanted.files] };
  return {
    conflicting: { files: removed.filter(isConflicting), folders: emptied.filter(isConflicting) },
    obsolete: {
      files: removed.filter((path) => !isConflicting(path)),
      folders: emptied.filter((path) => !isConflicting(path)),
    },
    missingFolders: [...wanted.folders].filter((path) => !isFolder(path)),
    existing,
    during: { schema: 1, finished: false, ...during },
    after: { schema: 1, finished: true, found, files: [...wanted.files] },
  };
}

type EntryKind = "file" | "folder" | "link" | "other";

/** Returns the entries of `out` and of these subfolders, by path. */
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

/** Throws InputError if a link, or an entry that mirrorfeed did not write, is at or below a path of the site. */
function checkObstacles(
  out: string,
  entries: ReadonlyMap<string, EntryKind>,
  owned: Tree,
  wanted: Tree,
): void {
  for (const [path, kind] of entries) {
    if (kind === "file" ? owned.files.has(path) : kind === "folder" && owned.folders.has(path)) continue;
    const isNeeded = wanted.files.has(path) || (wanted.folders.has(path) && kind !== "folder");
    const wasOwned = owned.files.has(path) || owned.folders.has(path);
    if (kind === "link" && (isNeeded || wasOwned)) throw obstacleError(out, path, isLink);
    const isBelowFile = [...foldersAbove([path])].some((folder) => wanted.files.has(folder));
    if (isNeeded || isBelowFile) throw obstacleError(out, path, isForeign);
  }
}

const isForeign = "is in the way of the site, and mirrorfeed did not write it";

/** Returns whether a file exists and has these bytes. */
function hasContent(file: string, bytes: Uint8Array): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && fs.readFileSync(file).equals(bytes);
}

function executePlan(
  plan: WritePlan,
  out: string,
  files: readonly SiteFile[],
  before: Manifest,
  { onFile, ...options }: ReplaceOptions & { readonly onFile?: (() => void) | undefined },
): WriteSummary {
  const { conflicting, obsolete, missingFolders, existing, during, after } = plan;
  let manifest = before;
  const writeManifest = (next: Manifest): void => {
    if (manifest === next) return;
    const content = manifestText(next);
    if (manifestText(manifest) !== content)
      replaceFiles([{ file: join(out, manifestPath), content }], options);
    manifest = next;
  };
  /** Before the first change, writes a manifest of all files that can exist during the write. */
  const begin = (): void => {
    writeManifest(during);
  };
  const remove = (removals: Removals): void => {
    if (removals.files.length + removals.folders.length > 0) begin();
    for (const path of removals.files) removeIfPossible(fs.unlinkSync, join(out, path));
    for (const path of removals.folders) removeIfPossible(fs.rmdirSync, join(out, path));
  };
  let written = 0;
  remove(conflicting);
  if (missingFolders.length > 0) begin();
  for (const path of missingFolders) fs.ensureDirSync(join(out, path));
  for (const one of files) {
    onFile?.();
    const file = join(out, one.path);
    const content = contentOf(one);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (existing.has(one.path) && hasContent(file, bytes)) continue;
    begin();
    replaceFiles([{ file, content: bytes }], { ...options, flush: false });
    written += 1;
  }
  // Last, so that a client with old documents can still follow their links.
  remove(obsolete);
  writeManifest(after);
  const removed = conflicting.files.length + obsolete.files.length;
  return { written, unchanged: files.length - written, removed };
}

/** Removes a file or folder. Ignores one that another run has removed, and a folder with files of another program. */
function removeIfPossible(remove: (path: string) => void, path: string): void {
  try {
    remove(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}
