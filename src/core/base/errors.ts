import { printable } from "./text/quote.ts";

/** An error that the user can fix: each line names a place and the remedy. The command exits with code 2. */
export class InputError extends Error {
  override readonly name = "InputError";

  constructor(lines: string | readonly string[], options?: ErrorOptions) {
    const escaped = [lines].flat().map((line) => printable(line, Infinity));
    super(escaped.join("\n"), options);
  }
}

/** The user stopped the command (Ctrl-C, SIGTERM). Nothing is half-written. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Returns the `code` of a system or library error (`ENOENT`, `UND_ERR_SOCKET` …), or undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("The thrown value is not an Error.", { cause: thrown });
}
