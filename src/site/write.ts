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

/** How many files were written, were right already, and were removed. */
export interface WriteSummary {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** What a write has to do, as far as paths tell, decided before anything is touched. */
interface WritePlan {
  /** The files to remove and the folders that this leaves empty, those first that stand where another must go. */
  readonly inTheWay: Removals;
  readonly others: Removals;
  readonly missing: readonly string[];
  readonly standing: ReadonlySet<string>;
  /** The manifests of during and after the write. */
  readonly during: Manifest;
  readonly after: Manifest;
}

interface Removals {
  readonly files: readonly string[];
  /** Those inside a folder come before it. */
  readonly folders: readonly string[];
}

const sitePath = z.string().refine(isSitePath);

/** `files` is what mirrorfeed wrote, or is about to; `found` are the folders above them that it did not make. */
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
 * Makes the folder `out` hold these files and removes what an earlier write left there; what mirrorfeed did not write
 * is left alone. One file at a time is made, compared, and replaced if its bytes differ. Killed at any moment, every
 * document is whole and the next write repairs the rest; without `processes` a killed run's temporary file stays for an
 * hour. Throws InputError if the folder is not mirrorfeed's or cannot be written, Error if the paths cannot be a site's:
 * both before anything is made.
 */
export function writeSite(out: string, files: readonly SiteFile[], processes?: Processes): WriteSummary {
  const wanted = treeOf(files);
  return explaining(`${out} cannot be written`, elsewhere, () => {
    fs.ensureDirSync(out);
    const before = ownManifest(out);
    const plan = planWrite(out, before, wanted);
    const folder = join(out, internalFolder);
    fs.ensureDirSync(folder);
    removeLeftovers(folder, "", { processes });
    return carryOut(plan, out, files, before, { processes, prefix: join(folder, "/") });
  });
}

/**
 * Whether mirrorfeed has finished writing a site to this folder, and has not begun another write since. Throws
 * InputError where the folder's manifest cannot be read or is not right.
 */
export function isWritten(out: string): boolean {
  return readManifest(out)?.finished ?? false;
}

/** Whether mirrorfeed has written to this folder before, to its end or not. Throws as `isWritten` does. */
export function isBegun(out: string): boolean {
  return readManifest(out) !== undefined;
}

/** Throws InputError where the folder holds what is not mirrorfeed's: before a run that would be for nothing. */
export function refuseForeign(out: string): void {
  explaining(`${out} cannot be read`, elsewhere, () => fs.existsSync(out) && ownManifest(out));
}

/**
 * Notes whether the last run was void, so that `mirrorfeed publish` refuses the site. Throws InputError where that
 * cannot be written.
 */
export function markVoid(out: string, isVoid: boolean): void {
  const marker = join(out, internalFolder, "void");
  explaining(`${out} cannot be written`, elsewhere, () => {
    // Not written through what stands in its place, which may be a link.
    fs.rmSync(marker, { force: true });
    if (isVoid && fs.existsSync(join(out, internalFolder)))
      fs.writeFileSync(marker, "The last run was void: the prober was offline.\n", { flag: "wx" });
  });
}

function ownManifest(out: string): Manifest {
  const names = fs.readdirSync(out).filter((name) => name !== internalFolder);
  const manifest = readManifest(out);
  if (manifest !== undefined) return manifest;
  if (names.length === 0) return { schema: 1, finished: false, found: [], files: [] };
  const some = names.sort().slice(0, 2).map(quote).join(" and ");
  throw new InputError(`${out} holds what mirrorfeed did not write, ${some}; empty it or ${elsewhere}.`);
}

function readManifest(out: string): Manifest | undefined {
  const file = join(out, manifestPath);
  const broken = `${file} is not as mirrorfeed wrote it; empty ${out} or ${elsewhere}.`;
  return explaining(`${file} cannot be read`, elsewhere, () => {
    const folder = fs.lstatSync(join(out, internalFolder), { throwIfNoEntry: false });
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (folder?.isSymbolicLink() === true) throw obstacle(out, internalFolder, isLink);
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
  const ours = { files: new Set(before.files), folders: made };
  const entries = list(out, new Set([...above, ...wanted.folders]));
  refuseObstacles(out, entries, ours, wanted);
  const standing = new Set([...wanted.files].filter((path) => entries.get(path) === "file"));
  const isFolder = (path: string): boolean => entries.get(path) === "folder";
  const isInTheWay = (path: string): boolean =>
    wanted.folders.has(path) || [path, ...foldersAbove([path])].some((place) => wanted.files.has(place));
  const removed = before.files.filter((path) => !wanted.files.has(path) && entries.get(path) === "file");
  const emptied = [...made].filter((path) => !wanted.folders.has(path) && isFolder(path)).reverse();
  const found = [...wanted.folders].filter((path) => !made.has(path) && isFolder(path));
  const during = { found: [...before.found, ...found], files: [...before.files, ...wanted.files] };
  return {
    inTheWay: { files: removed.filter(isInTheWay), folders: emptied.filter(isInTheWay) },
    others: {
      files: removed.filter((path) => !isInTheWay(path)),
      folders: emptied.filter((path) => !isInTheWay(path)),
    },
    missing: [...wanted.folders].filter((path) => !isFolder(path)),
    standing,
    during: { schema: 1, finished: false, ...during },
    after: { schema: 1, finished: true, found, files: [...wanted.files] },
  };
}

type EntryKind = "file" | "folder" | "link" | "other";

/** What stands in `out` and in these folders of it, by path. */
function list(out: string, folders: ReadonlySet<string>): Map<string, EntryKind> {
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

function refuseObstacles(
  out: string,
  entries: ReadonlyMap<string, EntryKind>,
  ours: Tree,
  wanted: Tree,
): void {
  for (const [path, kind] of entries) {
    if (kind === "file" ? ours.files.has(path) : kind === "folder" && ours.folders.has(path)) continue;
    const isNeeded = wanted.files.has(path) || (wanted.folders.has(path) && kind !== "folder");
    const wasOurs = ours.files.has(path) || ours.folders.has(path);
    if (kind === "link" && (isNeeded || wasOurs)) throw obstacle(out, path, isLink);
    const isBelowFile = [...foldersAbove([path])].some((folder) => wanted.files.has(folder));
    if (isNeeded || isBelowFile) throw obstacle(out, path, isForeign);
  }
}

const isLink = "is a symbolic link, and none is followed inside a site";
const isForeign = "stands where the site must go and is not mirrorfeed's";

function obstacle(out: string, path: string, problem: string): InputError {
  return new InputError(`${quote(join(out, path))} ${problem}; move it away or ${elsewhere}.`);
}

/** A file that went away meanwhile holds nothing. */
function holds(file: string, bytes: Uint8Array): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && fs.readFileSync(file).equals(bytes);
}

function manifestText({ schema, finished, found, files }: Manifest): string {
  const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
  return `${JSON.stringify({ schema, finished, found: sorted(found), files: sorted(files) })}\n`;
}

function carryOut(
  plan: WritePlan,
  out: string,
  files: readonly SiteFile[],
  before: Manifest,
  options: ReplaceOptions,
): WriteSummary {
  const { inTheWay, others, missing, standing, during, after } = plan;
  let manifest = before;
  const writeManifest = (next: Manifest): void => {
    if (manifest === next) return;
    const content = manifestText(next);
    if (manifestText(manifest) !== content)
      replaceFiles([{ file: join(out, manifestPath), content }], options);
    manifest = next;
  };
  /** Names everything that may stand there until the end, before the first change. */
  const begin = (): void => {
    writeManifest(during);
  };
  const remove = (removals: Removals): void => {
    if (removals.files.length + removals.folders.length > 0) begin();
    for (const path of removals.files) unlessGone(fs.unlinkSync, join(out, path));
    for (const path of removals.folders) unlessGone(fs.rmdirSync, join(out, path));
  };
  let written = 0;
  remove(inTheWay);
  if (missing.length > 0) begin();
  for (const path of missing) fs.ensureDirSync(join(out, path));
  for (const { path, content } of files) {
    const file = join(out, path);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (standing.has(path) && holds(file, bytes)) continue;
    begin();
    replaceFiles([{ file, content: bytes }], { ...options, flush: false });
    written += 1;
  }
  // Only now, so that a reader who follows the old documents still finds what they name.
  remove(others);
  writeManifest(after);
  const removed = inTheWay.files.length + others.files.length;
  return { written, unchanged: files.length - written, removed };
}

/** Another run may have been faster, and a folder may hold what is not mirrorfeed's. */
function unlessGone(remove: (place: string) => void, place: string): void {
  try {
    remove(place);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}
