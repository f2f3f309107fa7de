import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { env } from "node:process";

/** Linux's file system in memory. */
const memory = "/dev/shm";

/** Room for ten sites of 5,000 targets and for other tests at the same time. Containers often have only 64 MB. */
const neededBytes = 2 * 1024 ** 3;

/**
 * Keeps the tests' temporary files in memory if possible, unless `TMPDIR` is set. On a disk, tests would use a tenth more
 * processor time, and thousands of small files would take up to a minute longer. Returns a function that removes the files.
 */
export default function keepTemporaryFilesInMemory(): (() => void) | undefined {
  if (env["TMPDIR"] !== undefined || !isLarge()) return undefined;
  const folder = mkdtempSync(join(memory, "mirrorfeed-"));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  if (!mayRunPrograms(folder)) {
    remove();
    return undefined;
  }
  // The same permissions as /tmp, since web servers run as other users.
  chmodSync(folder, 0o1777);
  env["TMPDIR"] = folder;
  return remove;
}

function isLarge(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= neededBytes;
}

/** Some containers don't allow programs to be run from /dev/shm. */
function mayRunPrograms(folder: string): boolean {
  const script = join(folder, "script");
  writeFileSync(script, "", { mode: 0o755 });
  try {
    accessSync(script, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
