import { join } from "node:path";
import { InputError } from "../errors.ts";
import { explaining, explainingLater } from "../files/system-errors.ts";
import { type LockOptions, takeLock } from "../files/lock.ts";
import { internalFolder } from "../files/site-file.ts";
import { refuseForeign } from "./write.ts";
import { makeFolder } from "../files/make-folder.ts";

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
  const failure = `${out} cannot be written`;
  const elsewhere = "choose another folder with --out";
  const lock = await explainingLater(failure, elsewhere, () => {
    makeFolder(join(out, internalFolder));
    return takeLock(join(out, internalFolder, "lock"), options);
  });
  try {
    return await action(() => {
      if (!lock.isHeld())
        throw new InputError(`${out} was removed, or taken over by another run; run again.`);
    });
  } finally {
    explaining(failure, elsewhere, lock.release);
  }
}
