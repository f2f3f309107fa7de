import type { Environment } from "../base/git/child-process.ts";
import type { LockOptions } from "../base/files/lock.ts";

/** Keeps the text of a state between runs. */
export interface StateStore {
  /**
   * Returns the stored text, or undefined if nothing was ever stored. Throws InputError if it is unreadable or
   * unreachable, which never counts as a first run.
   */
  readonly load: () => Promise<string | undefined>;
  /**
   * Stores what `update` returns for the stored text, unless it is the same. If another run was faster, calls `update`
   * again with the text of that run. Throws InputError if the text cannot be read or stored, and the errors of
   * `update`. The stored text stays as it was then.
   */
  readonly save: (update: (current: string | undefined) => string) => Promise<void>;
}

/** What a store needs from its caller. `timeoutMs` limits each Git too. */
export interface StoreOptions extends LockOptions {
  /** The folder whose repository's `origin` has the branch, if `remote` is missing. */
  readonly folder: string;
  readonly remote?: string | undefined;
  readonly environment: Environment;
  readonly random: () => number;
  /** The size limit of one fetch of the branch. */
  readonly maxBytes?: number | undefined;
}
