import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";

/** The file system in memory that Linux has. */
const memory = "/dev/shm";

/** Ten sites of 5,000 targets. Containers often have only 64 MB. */
const neededBytes = 1024 ** 3;

/**
 * Makes a new folder for thousands of small files; `removeScratchFolder` removes it. The folder is in memory if the machine
 * offers that, because a disk takes up to a minute for them. `TMPDIR` comes first.
 */
export function makeScratchFolder(prefix: string): string {
  return mkdtempSync(join(hasMemory() ? memory : tmpdir(), prefix));
}

/** Removes such a folder. `fs.rmSync` would throw and catch an error for each folder in it. */
export function removeScratchFolder(folder: string): void {
  execFileSync("rm", ["-rf", folder]);
}

function hasMemory(): boolean {
  if (env["TMPDIR"] !== undefined || !existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < neededBytes) return false;
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
