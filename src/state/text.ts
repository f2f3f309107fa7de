import { InputError } from "../errors.ts";

/** The largest state that is read or stored, in bytes. */
export const mostBytes = 64 * 1024 * 1024;

/** The text of stored bytes; `place` is where they stand. Throws InputError where they are not UTF-8. */
export function decode(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputError(
      `${place} is not UTF-8 text; restore the state, or name another place with --state.`,
    );
  }
}

/** Throws InputError where a state at `place` is larger than what is ever read. */
export function requireSize(size: number, place: string): void {
  if (size <= mostBytes) return;
  throw new InputError(
    `${place} is larger than ${mostBytes / 1024 / 1024} MiB; name another place with --state.`,
  );
}
