import { InputError } from "../base/errors.ts";
import { decodeUtf8 } from "../base/files/read-text.ts";

/** The largest state that is read or stored, in bytes: 40,000 nodes with 90 different days and refs take 120 MB. */
export const maxBytes = 128 * 1024 * 1024;

/** Returns the text of stored bytes. Throws InputError with their `source` if they are not UTF-8. */
export function decode(bytes: Uint8Array, source: string): string {
  return decodeUtf8(bytes, source, "restore the state, or name another file with --state");
}

/** Throws InputError if a state from `source` is larger than the limit. */
export function requireSize(size: number, source: string): void {
  if (size <= maxBytes) return;
  throw new InputError(
    `${source} is larger than ${maxBytes / 1024 / 1024} MiB; name another file with --state.`,
  );
}
