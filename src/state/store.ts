import type { Environment } from "../git/child-process.ts";
import type { Processes } from "../files/signature.ts";

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

/** What a store needs from its caller. */
export interface StoreOptions {
  /** The folder whose repository's `origin` has the branch, if `remote` is missing. */
  readonly folder: string;
  readonly remote?: string | undefined;
  readonly environment: Environment;
  readonly interrupt: AbortSignal;
  readonly random: () => number;
  readonly processes: Processes;
  /** How long one Git may take, or another run may hold the file. */
  readonly timeoutMs?: number | undefined;
  /** The size limit of one fetch of the branch. */
  readonly maxBytes?: number | undefined;
}
