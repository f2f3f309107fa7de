/**
 * What a person can mend: bad configuration, bad options, a folder that cannot be written. The message is one
 * sentence that names the place and the remedy; the command ends with exit code 2.
 */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** The person asked to stop (Ctrl-C, SIGTERM); nothing was half-written. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The `code` of a system or library error (`ENOENT`, `UND_ERR_SOCKET` …), or undefined if it carries none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What was thrown, as an Error; a thrown value that is none becomes its cause. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error("Something that is no error was thrown.", { cause: thrown });
}
