import { errorCode, InputError } from "../errors.ts";

type Sentence = (elsewhere: string) => string;

const forbidden: Sentence = (elsewhere) => `this user may not; change its permissions or ${elsewhere}`;
const below: Sentence = (elsewhere) => `a file is where its folder must be; ${elsewhere}`;

const reasons: Partial<Record<string, Sentence>> = {
  // Node.js reports this too for a folder that it cannot make on a read-only file system.
  ENOENT: (elsewhere) => `its folder cannot be made, or went away meanwhile; ${elsewhere}`,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: (elsewhere) => `the file system is read-only; ${elsewhere}`,
  ENOSPC: () => "the disk is full; free some space and run again",
  EDQUOT: () => "the disk quota is used up; free some space and run again",
  EFBIG: () => "a file may not become that large here; raise the limit (ulimit -f) and run again",
  EMFILE: () => "too many files are open; raise the limit (ulimit -n) and run again",
  ENFILE: () => "too many files are open on this machine; run again later",
  ENOTDIR: below,
  EEXIST: below,
  EISDIR: (elsewhere) => `a folder is where a file must be; remove it or ${elsewhere}`,
  ELOOP: (elsewhere) => `its path has a link that is not followed; remove the link or ${elsewhere}`,
  ENAMETOOLONG: (elsewhere) => `its name is too long; ${elsewhere}`,
  EBUSY: (elsewhere) => `it is mounted by itself, or in use; ${elsewhere}`,
  EIO: (elsewhere) => `the disk fails; ${elsewhere}`,
};

/** Why a file cannot be read, and the remedy unless the caller has a better one. */
const readReasons: Partial<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOENT: ["is a link that leads nowhere", "remove it"],
  ELOOP: ["is a link that leads nowhere", "remove it"],
  ENOTDIR: ["is not a folder", "replace it by one"],
  EISDIR: ["is a folder", "replace it by a file"],
};

/**
 * Returns an InputError `FAILURE: REASON.` for an error of the file system, or undefined for any other error. The
 * reason ends with the remedy `elsewhere` if another folder would help.
 */
export function fileError(error: unknown, failure: string, elsewhere: string): InputError | undefined {
  const reason = reasons[errorCode(error) ?? ""];
  if (reason === undefined) return undefined;
  return new InputError(`${failure}: ${reason(elsewhere)}.`, { cause: error });
}

/** Throws the InputError of `fileError` if the file system refuses the action. */
export function explaining<Result>(failure: string, elsewhere: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw fileError(error, failure, elsewhere) ?? error;
  }
}

export async function explainingLater<Result>(
  failure: string,
  elsewhere: string,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw fileError(error, failure, elsewhere) ?? error;
  }
}

/**
 * Returns why an existing file cannot be read, as an InputError `NAME PROBLEM; REMEDY.`. A missing permission has its
 * own sentence. Undefined for any other error.
 */
export function readError(error: unknown, name: string, remedy?: string): InputError | undefined {
  const code = errorCode(error) ?? "";
  if (["EACCES", "EPERM"].includes(code))
    return new InputError(`This user may not read ${name}; change its permissions.`, { cause: error });
  const [problem, usual] = readReasons[code] ?? [];
  if (problem === undefined) return undefined;
  return new InputError(`${name} ${problem}; ${remedy ?? usual}.`, { cause: error });
}
