import type { LockOptions } from "../base/files/lock.ts";
import { decodeUtf8 } from "../base/files/read-text.ts";
import { InputError } from "../base/errors.ts";
import type { Environment } from "../base/git/child-process.ts";

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
  readonly save: (update: Update) => Promise<void>;
}

export type Update = (current: string | undefined) => string;

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

export const mebibyte = 1024 * 1024;

/** The largest state that is read or stored, in bytes. 40,000 nodes fit, whatever their mirrors say (`fitState`). */
export const maxBytes = 128 * mebibyte;

/** Throws InputError if a state from `source` is larger than the limit. */
export function requireSize(size: number, source: string): void {
  if (size <= maxBytes) return;
  throw new InputError(
    `${source} is larger than ${maxBytes / mebibyte} MiB; name another file with --state.`,
  );
}

/** Returns the text of stored bytes. Throws InputError with their `source` if they are not UTF-8. */
export function decode(bytes: Uint8Array, source: string): string {
  return decodeUtf8(bytes, source, "restore the state, or name another file with --state");
}
