import type { Dirent } from "node:fs";
import { join } from "node:path";
import fs from "fs-extra";
import * as z from "zod";
import { errorCode, InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { jsonValue } from "../json-value.ts";
import { quote } from "../quote.ts";
import { isOfDead, newSignature, type Processes, readSignature, signatureText } from "../signature.ts";
import { foldersAbove, isSitePath, ownFolder, type SiteFile, type Tree, treeOf } from "../site-file.ts";

/** How many files were written, were right already, and were removed. */
export interface WriteSummary {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** What a write has to do, decided before anything is touched; the manifests are those of during and after it. */
interface Plan {
  readonly removed: readonly string[];
  readonly emptied: readonly string[];
  readonly missing: readonly string[];
  readonly changed: readonly SiteFile[];
  readonly during: Manifest;
  readonly after: Manifest;
  readonly isDone: boolean;
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

const manifestPath = `${ownFolder}/manifest.json`;
const mostManifestBytes = 128 * 1024 * 1024;
const elsewhere = "choose another folder with --out";

/**
 * Makes the folder `out` hold these files and removes what an earlier write left there; what mirrorfeed did not write
 * is left alone. Killed at any moment, every document is whole and the next write repairs the rest; without
 * `processes` a killed run's temporary file stays for an hour. Throws InputError where the folder is not mirrorfeed's
 * or cannot be written, Error where the paths cannot be a site's.
 */
export function writeSite(out: string, files: readonly SiteFile[], processes?: Processes): WriteSummary {
  const wanted = treeOf(files);
  return explaining(`${out} cannot be written`, () => {
    fs.mkdirsSync(out);
    const plan = planWrite(out, ownManifest(out), wanted, files);
    fs.mkdirsSync(join(out, ownFolder));
    removeLeftovers(join(out, ownFolder), processes);
    if (!plan.isDone) carryOut(plan, out, `${signatureText(newSignature(processes))}.tmp`);
    const written = plan.changed.length;
    return { written, unchanged: files.length - written, removed: plan.removed.length };
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
  explaining(`${out} cannot be read`, () => fs.existsSync(out) && ownManifest(out));
}

/**
 * Notes whether the last run was void, so that `mirrorfeed publish` refuses the site. Throws InputError where that
 * cannot be written.
 */
export function markVoid(out: string, isVoid: boolean): void {
  const marker = join(out, ownFolder, "void");
  explaining(`${out} cannot be written`, () => {
    // Not written through what stands in its place, which may be a link.
    fs.rmSync(marker, { force: true });
    if (isVoid && fs.existsSync(join(out, ownFolder)))
      fs.writeFileSync(marker, "The last run was void: the prober was offline.\n", { flag: "wx" });
  });
}

function ownManifest(out: string): Manifest {
  const names = fs.readdirSync(out).filter((name) => name !== ownFolder);
  const manifest = readManifest(out);
  if (manifest !== undefined) return manifest;
  if (names.length === 0) return { schema: 1, finished: false, found: [], files: [] };
  const some = names.sort().slice(0, 2).map(quote).join(" and ");
  throw new InputError(`${out} holds what mirrorfeed did not write, ${some}; empty it or ${elsewhere}.`);
}

function readManifest(out: string): Manifest | undefined {
  const file = join(out, manifestPath);
  const broken = `${file} is not as mirrorfeed wrote it; empty ${out} or ${elsewhere}.`;
  return explaining(`${file} cannot be read`, () => {
    const folder = fs.lstatSync(join(out, ownFolder), { throwIfNoEntry: false });
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (folder?.isSymbolicLink() === true) throw obstacle(out, ownFolder, isLink);
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.size > mostManifestBytes) throw new InputError(broken);
    const value = jsonValue(fs.readFileSync(file, "utf8"));
    if (newerSchema.safeParse(value).success) {
      throw new InputError(`${file} is of a newer mirrorfeed; update mirrorfeed or ${elsewhere}.`);
    }
    const manifest = manifestSchema.safeParse(value);
    if (!manifest.success) throw new InputError(broken);
    return manifest.data;
  });
}

function planWrite(out: string, before: Manifest, wanted: Tree, files: readonly SiteFile[]): Plan {
  const above = foldersAbove(before.files);
  const made = new Set(above);
  for (const path of before.found) made.delete(path);
  const ours = { files: new Set(before.files), folders: made };
  const standing = list(out, new Set([...above, ...wanted.folders]));
  refuseObstacles(out, standing, ours, wanted);
  const isFile = (path: string): boolean => standing.get(path)?.isFile() === true;
  const isFolder = (path: string): boolean => standing.get(path)?.isDirectory() === true;
  const removed = before.files.filter((path) => !wanted.files.has(path) && isFile(path));
  const changed = files.filter(({ path, content }) => !isFile(path) || !holds(join(out, path), content));
  const found = [...wanted.folders].filter((path) => !made.has(path) && isFolder(path));
  const during = { found: [...before.found, ...found], files: [...before.files, ...wanted.files] };
  const after: Manifest = { schema: 1, finished: true, found, files: [...wanted.files] };
  return {
    removed,
    emptied: [...made].filter((path) => !wanted.folders.has(path) && isFolder(path)).reverse(),
    missing: [...wanted.folders].filter((path) => !isFolder(path)),
    changed,
    during: { schema: 1, finished: false, ...during },
    after,
    isDone: changed.length + removed.length === 0 && manifestText(before) === manifestText(after),
  };
}

/** What stands in `out` and in these folders of it, by path. */
function list(out: string, folders: ReadonlySet<string>): Map<string, Dirent> {
  const standing = new Map<string, Dirent>();
  const visit = (above: string): void => {
    for (const entry of fs.readdirSync(join(out, above), { withFileTypes: true })) {
      const path = `${above}${entry.name}`;
      standing.set(path, entry);
      if (entry.isDirectory() && folders.has(path)) visit(`${path}/`);
    }
  };
  visit("");
  return standing;
}

function refuseObstacles(out: string, standing: ReadonlyMap<string, Dirent>, ours: Tree, wanted: Tree): void {
  for (const [path, entry] of standing) {
    if (entry.isFile() ? ours.files.has(path) : entry.isDirectory() && ours.folders.has(path)) continue;
    const isNeeded = wanted.files.has(path) || (wanted.folders.has(path) && !entry.isDirectory());
    const wasOurs = ours.files.has(path) || ours.folders.has(path);
    if (entry.isSymbolicLink() && (isNeeded || wasOurs)) throw obstacle(out, path, isLink);
    const isBelowFile = [...foldersAbove([path])].some((folder) => wanted.files.has(folder));
    if (isNeeded || isBelowFile) throw obstacle(out, path, isForeign);
  }
}

const isLink = "is a symbolic link, and none is followed inside a site";
const isForeign = "stands where the site must go and is not mirrorfeed's";

function obstacle(out: string, path: string, fault: string): InputError {
  return new InputError(`${quote(join(out, path))} ${fault}; move it away or ${elsewhere}.`);
}

function holds(file: string, content: string | Uint8Array): boolean {
  return fs.readFileSync(file).equals(typeof content === "string" ? Buffer.from(content) : content);
}

function manifestText({ schema, finished, found, files }: Manifest): string {
  const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
  return `${JSON.stringify({ schema, finished, found: sorted(found), files: sorted(files) })}\n`;
}

/** New files come last, since they may need the place or the disk space of what is removed. */
function carryOut(plan: Plan, out: string, name: string): void {
  const temporary = join(out, ownFolder, name);
  const replace = (path: string, content: string | Uint8Array, flush: boolean): void => {
    fs.writeFileSync(temporary, content, { flag: "wx", flush });
    fs.renameSync(temporary, join(out, path));
  };
  try {
    replace(manifestPath, manifestText(plan.during), true);
    for (const path of plan.removed) unlessGone(fs.unlinkSync, join(out, path));
    for (const path of plan.emptied) unlessGone(fs.rmdirSync, join(out, path));
    for (const path of plan.missing) fs.mkdirsSync(join(out, path));
    for (const { path, content } of plan.changed) replace(path, content, false);
    replace(manifestPath, manifestText(plan.after), true);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Another run may have been faster, and a folder may hold what is not ours. */
function unlessGone(remove: (place: string) => void, place: string): void {
  try {
    remove(place);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}

const hour = 3_600_000;

/** Of killed runs. A process writes one site at a time, so that none here is of this one. */
function removeLeftovers(folder: string, processes: Processes | undefined): void {
  for (const name of fs.readdirSync(folder)) {
    const signature = name.endsWith(".tmp") ? readSignature(name.slice(0, -".tmp".length)) : undefined;
    const file = join(folder, name);
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (signature === undefined || stats?.isFile() !== true) continue;
    const isOld = Date.now() - stats.mtimeMs > hour;
    if (isOld || (processes !== undefined && isOfDead(signature, processes)))
      fs.rmSync(file, { force: true });
  }
}

function explaining<Result>(failure: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw fileFault(error, failure, elsewhere) ?? error;
  }
}
