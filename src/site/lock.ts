import { join } from "node:path";
import { InputError } from "../base/errors.ts";
import { explaining, explainingLater } from "../base/files/system-errors.ts";
import { type LockOptions, takeLock, touchMs } from "../base/files/lock.ts";
import { internalFolder } from "../base/files/site-file.ts";
import { elsewhere, requireOwnFolder } from "./manifest.ts";
import { makeFolder } from "../base/files/make-folder.ts";

/**
 * Runs an action with an exclusive lock on the folder `out`, which it creates if missing. The action calls `checkLock` before it
 * changes the site, and again before each file, since it lets no timer run as it writes. `checkLock` throws InputError if the
 * lock was lost. Throws InputError if the folder has files of another program, cannot be written or stays locked for too long.
 * Throws the reason of an interrupt, and the errors of the action.
 */
export async function withSiteLock<Result>(
  out: string,
  options: LockOptions,
  action: (checkLock: () => void) => Promise<Result>,
): Promise<Result> {
  requireOwnFolder(out);
  const failure = `${out} cannot be written`;
  const lock = await explainingLater(failure, elsewhere, () => {
    makeFolder(join(out, internalFolder));
    return takeLock(join(out, internalFolder, "lock"), options);
  });
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
