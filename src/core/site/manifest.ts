import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "../base/zod.ts";
import { InputError } from "../base/errors.ts";
import { makeFolder } from "../base/files/folders.ts";
import { type LockOptions, takeLock, touchMs } from "../base/files/lock.ts";
import { internalFolder, isSitePath } from "../base/files/site-file.ts";
import { explaining, rethrowing } from "../base/files/system-errors.ts";
import { tryParseJson } from "../base/text/json.ts";
import { quote } from "../base/text/quote.ts";

const manifestSchema = z.strictObject({
  schema: z.literal(1),
  finished: z.boolean(),
  /** The files that mirrorfeed has written or is about to write. */
  files: z.array(z.string().refine(isSitePath)),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const manifestPath = `${internalFolder}/manifest.json`;
const maxManifestBytes = 128 * 1024 * 1024;
export const elsewhere = "choose another folder with --out";
export const isLink = "is a symbolic link, which mirrorfeed does not follow inside a site";

/** Throws InputError if the folder has another program's files. Call it early, so that no run fails only at its end. */
export function requireOwnFolder(out: string): void {
  explaining(`${out} cannot be read`, elsewhere, () => existsSync(out) && requireManifest(out));
}

/** For an empty folder, returns an empty manifest. Throws InputError if the folder has files but no manifest. */
export function requireManifest(out: string): Manifest {
  const names = readdirSync(out).filter((name) => name !== internalFolder);
  const manifest = readManifest(out);
  if (manifest !== undefined) return manifest;
  if (names.length === 0) return { schema: 1, finished: false, files: [] };
  const some = names.sort().slice(0, 2).map(quote).join(" and ");
  throw new InputError(
    `${out} contains files that mirrorfeed did not write, such as ${some}; empty it or ${elsewhere}.`,
  );
}

/** Throws InputError if the manifest is unreadable or invalid. Returns undefined if it is missing. */
export function readManifest(out: string): Manifest | undefined {
  const file = join(out, manifestPath);
  const broken = `${file} is damaged; empty ${out} or ${elsewhere}.`;
  return explaining(`${file} cannot be read`, elsewhere, () => {
    const folder = lstatSync(join(out, internalFolder), { throwIfNoEntry: false });
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (folder?.isSymbolicLink() === true) throw obstacleError(out, internalFolder, isLink);
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.size > maxManifestBytes) throw new InputError(broken);
    const manifest = manifestSchema.safeParse(tryParseJson(readFileSync(file, "utf8")));
    if (!manifest.success) throw new InputError(broken);
    return manifest.data;
  });
}

export function obstacleError(out: string, path: string, problem: string): InputError {
  return new InputError(`${quote(join(out, path))} ${problem}; move it away or ${elsewhere}.`);
}

export function manifestText({ files, ...head }: Manifest): string {
  return `${JSON.stringify({ ...head, files: [...new Set(files)].sort() })}\n`;
}

const voidMarker = `${internalFolder}/void`;

/** Whether the last run was void, so that the site shows an older status. */
export function isVoid(out: string): boolean {
  return existsSync(join(out, voidMarker));
}

export function markVoid(out: string, isVoidNow: boolean): void {
  explaining(`${out} cannot be written`, elsewhere, () => {
    // Removes the marker before writing it, because it may be a link, which would lead the write elsewhere.
    rmSync(join(out, voidMarker), { force: true });
    if (isVoidNow && existsSync(join(out, internalFolder)))
      writeFileSync(join(out, voidMarker), "The last run was void: the prober was offline.\n", {
        flag: "wx",
      });
  });
}

/**
 * Runs an action with an exclusive lock on the folder `out`, which may be missing. Synchronous work stops the timer that
 * renews the lock, so the action must call `checkLock` before each change. Both throw InputError without the lock. If
 * interrupted, throws the reason of the interrupt.
 */
export async function withSiteLock<Result>(
  out: string,
  options: LockOptions,
  action: (checkLock: () => void) => Promise<Result>,
): Promise<Result> {
  requireOwnFolder(out);
  const failure = `${out} cannot be written`;
  const folder = join(out, internalFolder);
  explaining(failure, elsewhere, () => {
    makeFolder(folder);
  });
  const lock = await takeLock(join(folder, "lock"), options).catch(rethrowing(failure, elsewhere));
  let checkedAt = -Infinity;
  try {
    return await action(() => {
      const now = performance.now();
      if (now - checkedAt < touchMs) return;
      checkedAt = now;
      if (!lock.isHeld())
        throw new InputError(`${out} was removed, or taken over by another run; run again.`);
      lock.touch();
    });
  } finally {
    explaining(failure, elsewhere, lock.release);
  }
}
