import { join } from "node:path";
import fs from "fs-extra";
import * as z from "zod";
import { errorCode, InputError } from "../errors.ts";
import { removeLeftovers, type ReplaceOptions, replaceFiles } from "../files/replace-file.ts";
import { explaining } from "../files/system-errors.ts";
import { tryParseJson } from "../text/parse-json.ts";
import { quote } from "../text/quote.ts";
import type { Processes } from "../files/signature.ts";
import {
  foldersAbove,
  isSitePath,
  internalFolder,
  type SiteFile,
  type Tree,
  treeOf,
} from "../files/site-file.ts";

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

const sitePath = z.string().refine(isSitePath);

/** `files` are the files that mirrorfeed has written or is about to write. `found` are their folders that existed before. */
const manifestSchema = z.strictObject({
  schema: z.literal(1),
  finished: z.boolean(),
  found: z.array(sitePath),
  files: z.array(sitePath),
});
const newerSchema = z.looseObject({ schema: z.int().min(2) });

type Manifest = z.infer<typeof manifestSchema>;

const manifestPath = `${internalFolder}/manifest.json`;
const maxManifestBytes = 128 * 1024 * 1024;
const elsewhere = "choose another folder with --out";

/**
 * Writes these files to the folder `out` and removes other files of earlier writes. Files of other programs stay. It renders,
 * compares and replaces one file at a time, only if its bytes differ. If the process is killed, every file is still whole, and
 * the next write repairs the rest. Without `processes`, the temporary file of a killed run stays for an hour. Before any change
 * it throws InputError if the folder has files of another program or cannot be written, and Error if a path is invalid.
 */
export function writeSite(out: string, files: readonly SiteFile[], processes?: Processes): WriteSummary {
  const wanted = treeOf(files);
  return explaining(`${out} cannot be written`, elsewhere, () => {
    fs.ensureDirSync(out);
    const before = requireManifest(out);
    const plan = planWrite(out, before, wanted);
    const folder = join(out, internalFolder);
    fs.ensureDirSync(folder);
    removeLeftovers(folder, "", { processes });
    return executePlan(plan, out, files, before, { processes, prefix: join(folder, "/") });
  });
}

/** Returns whether the last write to this folder was finished. Throws InputError if the manifest is unreadable or invalid. */
export function isFinished(out: string): boolean {
  return readManifest(out)?.finished ?? false;
}

/** Returns whether mirrorfeed has written to this folder, finished or not. Throws InputError like `isFinished`. */
export function hasManifest(out: string): boolean {
  return readManifest(out) !== undefined;
}

/** Throws InputError if the folder has files of another program. Call it before a run, which would otherwise be in vain. */
export function requireOwnFolder(out: string): void {
  explaining(`${out} cannot be read`, elsewhere, () => fs.existsSync(out) && requireManifest(out));
}

/** Marks whether the last run was void, so that `mirrorfeed publish` refuses the site. Throws InputError if it cannot write. */
export function markVoid(out: string, isVoid: boolean): void {
  const marker = join(out, internalFolder, "void");
  explaining(`${out} cannot be written`, elsewhere, () => {
    // A link at this path must not be followed.
    fs.rmSync(marker, { force: true });
    if (isVoid && fs.existsSync(join(out, internalFolder)))
      fs.writeFileSync(marker, "The last run was void: the prober was offline.\n", { flag: "wx" });
  });
}

/** Returns the manifest, or an empty one for an empty folder. Throws InputError if the folder has files but no manifest. */
function requireManifest(out: string): Manifest {
  const names = fs.readdirSync(out).filter((name) => name !== internalFolder);
  const manifest = readManifest(out);
  if (manifest !== undefined) return manifest;
  if (names.length === 0) return { schema: 1, finished: false, found: [], files: [] };
  const some = names.sort().slice(0, 2).map(quote).join(" and ");
  throw new InputError(
    `${out} contains files that mirrorfeed did not write, such as ${some}; empty it or ${elsewhere}.`,
  );
}

function readManifest(out: string): Manifest | undefined {
  const file = join(out, manifestPath);
  const broken = `${file} is damaged; empty ${out} or ${elsewhere}.`;
  return explaining(`${file} cannot be read`, elsewhere, () => {
    const folder = fs.lstatSync(join(out, internalFolder), { throwIfNoEntry: false });
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (folder?.isSymbolicLink() === true) throw obstacleError(out, internalFolder, isLink);
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.size > maxManifestBytes) throw new InputError(broken);
    const value = tryParseJson(fs.readFileSync(file, "utf8"));
    if (newerSchema.safeParse(value).success) {
      throw new InputError(`${file} is of a newer mirrorfeed; update mirrorfeed or ${elsewhere}.`);
    }
    const manifest = manifestSchema.safeParse(value);
    if (!manifest.success) throw new InputError(broken);
    return manifest.data;
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
    wanted.folders.has(path) || [path, ...foldersAbove([path])].some((place) => wanted.files.has(place));
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

const isLink = "is a symbolic link, which mirrorfeed does not follow inside a site";
const isForeign = "is in the way of the site, and mirrorfeed did not write it";

function obstacleError(out: string, path: string, problem: string): InputError {
  return new InputError(`${quote(join(out, path))} ${problem}; move it away or ${elsewhere}.`);
}

/** Returns whether a file exists and has these bytes. */
function hasContent(file: string, bytes: Uint8Array): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && fs.readFileSync(file).equals(bytes);
}

function manifestText({ schema, finished, found, files }: Manifest): string {
  const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
  return `${JSON.stringify({ schema, finished, found: sorted(found), files: sorted(files) })}\n`;
}

function executePlan(
  plan: WritePlan,
  out: string,
  files: readonly SiteFile[],
  before: Manifest,
  options: ReplaceOptions,
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
  for (const { path, content } of files) {
    const file = join(out, path);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (existing.has(path) && hasContent(file, bytes)) continue;
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
function removeIfPossible(remove: (place: string) => void, place: string): void {
  try {
    remove(place);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}
