import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { type Lock, type LockOptions, takeLock } from "../lock.ts";
import { ownFolder } from "../site-file.ts";
import { refuseForeign } from "./write.ts";

/**
 * Acts while no other run does on the folder `out`, which is made where it is missing; `check` throws InputError where
 * another run has it all the same, and is for the moment before the site is changed. Throws InputError where the folder
 * is not mirrorfeed's, cannot be written, or is another run's for too long; the reason of the interrupt where there was
 * one; and what the action throws.
 */
export async function withSiteLock<Result>(
  out: string,
  options: LockOptions,
  action: (check: () => void) => Promise<Result>,
): Promise<Result> {
  refuseForeign(out);
  const lock = await explaining(out, () => lockFolder(join(out, ownFolder), options));
  try {
    return await action(() => {
      if (!lock.isHeld())
        throw new InputError(`${out} was removed, or taken over by another run; run again.`);
    });
  } finally {
    await explaining(out, () => {
      lock.release();
      return Promise.resolve();
    });
  }
}

async function lockFolder(folder: string, options: LockOptions): Promise<Lock> {
  // Not the one that promises: it takes a full disk for a folder that is missing.
  mkdirSync(folder, { recursive: true });
  return takeLock(join(folder, "lock"), options);
}

async function explaining<Result>(out: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw fileFault(error, `${out} cannot be written`, "choose another folder with --out") ?? error;
  }
}
