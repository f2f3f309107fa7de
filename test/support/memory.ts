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

/** The file system in memory that Linux has. */
const memory = "/dev/shm";

/** Ten sites of 5,000 targets, and what other tests have at the same time. Containers often have only 64 MB. */
const neededBytes = 2 * 1024 ** 3;

/**
 * Keeps the temporary files of all tests in memory if the machine offers that, because a disk takes a tenth more processor
 * time, and up to a minute for thousands of small files. `TMPDIR` comes first. Returns what removes them at the end.
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
  // As /tmp is: web servers run as other users.
  chmodSync(folder, 0o1777);
  env["TMPDIR"] = folder;
  return remove;
}

function isLarge(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= neededBytes;
}

/** Some containers do not let a program in memory be run. */
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
