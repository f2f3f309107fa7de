import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** Returns the real path of a new folder. It is removed after all tests in the file. */
export function temporaryFolder(prefix = "mirrorfeed-"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  folders.push(folder);
  return folder;
}

/**
 * Removes all folders of `temporaryFolder`. setup.ts calls it after each test file, because a worker may keep this module for
 * the next file.
 */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
