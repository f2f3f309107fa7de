import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a new folder for thousands of small files; `removeScratchFolder` removes it. */
export function makeScratchFolder(prefix: string): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

/** Removes such a folder. `fs.rmSync` would throw and catch an error for each folder in it. */
export function removeScratchFolder(folder: string): void {
  execFileSync("rm", ["-rf", folder]);
}
