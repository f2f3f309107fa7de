import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** Returns the real path of a new folder, which is removed when the tests of the file are done. */
export function temporaryFolder(prefix = "mirrorfeed-"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  folders.push(folder);
  return folder;
}

/** Removes these folders. The set-up of each test file calls it, also in a worker that keeps its modules. */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
