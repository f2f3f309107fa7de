import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { isSitePath, internalFolder } from "../files/site-file.ts";
import { hasManifest, isFinished } from "../site/manifest.ts";

/** The files of a site by path, each with the id that Git gives to its content. */
export type BlobIds = ReadonlyMap<string, string>;

/** Returns whether the last run was void, so that the site does not show the present status. */
export function isVoid(out: string): boolean {
  return existsSync(join(out, internalFolder, "void"));
}

/** Throws InputError if the folder is missing, is not a site that mirrorfeed wrote, or is not finished. */
export function requireSite(out: string): void {
  const again = "run mirrorfeed run first, or name another folder with --out";
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InputError(`There is no folder ${out}; ${again}.`);
  if (isFinished(out)) return;
  const problem = hasManifest(out)
    ? "is not finished, or is being written"
    : "is not a site that mirrorfeed wrote";
  throw new InputError(`${out} ${problem}; ${again}.`);
}

/** Returns a mark that changes when mirrorfeed writes to the site: every file is written in its own folder first. */
export function writeMark(out: string): string {
  return String(statSync(join(out, internalFolder), { bigint: true, throwIfNoEntry: false })?.mtimeNs);
}

/**
 * Returns the id of every file in the folder, outside mirrorfeed's own folder. Throws InputError if there is none, and
 * for a file that Git or a host would read differently: a link, or a name that cannot be in a site.
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
    const content = read(out, path, (file) => readFileSync(file));
    ids.set(path, blobId(content, algorithm));
  }
  if (ids.size === 0) throw new InputError(`${out} is empty; run mirrorfeed run first.`);
  return ids;
}

/** Returns the id that Git gives to a content ("Git Internals - Git Objects" of the Pro Git book). */
export function blobId(content: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** The signal is checked after this many files. */
const filesAtOnce = 256;

function* filePaths(out: string, above = ""): Generator<string> {
  const entries = read(out, above, (folder) => readdirSync(folder, { withFileTypes: true }));
  for (const entry of entries) {
    const path = `${above}${entry.name}`;
    if (path === internalFolder) continue;
    if (!isSitePath(path) || entry.name.toLowerCase() === ".git")
      throw unpublishable(out, path, "bears a name that cannot be published");
    if (entry.isDirectory()) yield* filePaths(out, `${path}/`);
    else if (entry.isFile()) yield path;
    else throw unpublishable(out, path, "is a link or no plain file, and only those are published");
  }
}

function read<Content>(out: string, path: string, action: (path: string) => Content): Content {
  try {
    return action(join(out, path));
  } catch (error) {
    throw unpublishable(out, path, `cannot be read (${errorCode(error) ?? "it is too large"})`);
  }
}

function unpublishable(out: string, path: string, problem: string): InputError {
  return new InputError(`${quote(join(out, path))} ${problem}; move it away and publish again.`);
}
