import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { errorCode, InputError } from "../../errors.ts";
import { quote } from "../../quote.ts";
import { isSitePath, ownFolder } from "../../site-file.ts";
import { isBegun, isWritten } from "../write.ts";

/** The files of a site: the id that git gives to the content of each, by path. */
export type BlobIds = ReadonlyMap<string, string>;

/** Whether the last run was void, so that what stands in this folder is not what is. */
export function isVoid(out: string): boolean {
  return existsSync(join(out, ownFolder, "void"));
}

/** Throws InputError where the folder is missing, is not a site of mirrorfeed's, or is one that is not finished. */
export function requireSite(out: string): void {
  const again = "run mirrorfeed run first, or name another folder with --out";
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InputError(`There is no folder ${out}; ${again}.`);
  if (isWritten(out)) return;
  const fault = isBegun(out) ? "is not finished, or is being written" : "is no site that mirrorfeed wrote";
  throw new InputError(`${out} ${fault}; ${again}.`);
}

/** What changes whenever mirrorfeed writes to the site: every file of it goes through its own folder. */
export function writeMark(out: string): string {
  return String(statSync(join(out, ownFolder), { bigint: true, throwIfNoEntry: false })?.mtimeNs);
}

/**
 * Every file that stands in the folder, by whomever, but those in mirrorfeed's own folder. Throws InputError where
 * there is none, and for what git or a host would take for something else: a link, a name that is no path of a site.
 */
export async function blobIds(
  out: string,
  algorithm: "sha1" | "sha256",
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const path of [...filePaths(out)]) {
    if (ids.size % filesAtOnce === 0) await otherWork();
    signal.throwIfAborted();
    ids.set(path, blobId(readSiteFile(out, path), algorithm));
  }
  if (ids.size === 0) throw new InputError(`${out} is empty; run mirrorfeed run first.`);
  return ids;
}

/** The id that git gives to a content ("Git Internals - Git Objects" of the Pro Git book). */
export function blobId(content: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** After so many files whoever wants to stop us is heard. */
const filesAtOnce = 256;

function* filePaths(out: string, above = ""): Generator<string> {
  for (const entry of entries(out, above)) {
    const path = `${above}${entry.name}`;
    if (path === ownFolder) continue;
    if (!isSitePath(path) || entry.name.toLowerCase() === ".git")
      throw unpublishable(out, path, "bears a name that cannot be published");
    if (entry.isDirectory()) yield* filePaths(out, `${path}/`);
    else if (entry.isFile()) yield path;
    else throw unpublishable(out, path, "is a link or no plain file, and only those are published");
  }
}

function entries(out: string, above: string): Dirent[] {
  try {
    return readdirSync(join(out, above), { withFileTypes: true });
  } catch (error) {
    throw unpublishable(out, above, `cannot be read (${errorCode(error) ?? "it is too large"})`);
  }
}

function readSiteFile(out: string, path: string): Uint8Array {
  try {
    return readFileSync(join(out, path));
  } catch (error) {
    throw unpublishable(out, path, `cannot be read (${errorCode(error) ?? "it is too large"})`);
  }
}

function unpublishable(out: string, path: string, fault: string): InputError {
  return new InputError(`${quote(join(out, path))} ${fault}; move it away and publish again.`);
}
