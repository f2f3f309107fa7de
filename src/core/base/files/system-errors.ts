import { errorCode, InputError } from "../errors.ts";

/** How the message ends with the remedy `elsewhere`. */
const reasons: Partial<Record<string, string>> = {
  // Node.js also reports this for a folder that it cannot create on a read-only file system.
  ENOENT: "its folder could not be created or has disappeared;",
  EACCES: "permission denied; change its permissions or",
  EPERM: "permission denied; change its permissions or",
  EROFS: "the file system is read-only;",
  ENOTDIR: "there is a file where its folder should be;",
  EEXIST: "there is a file where its folder should be;",
  EISDIR: "there is a folder where the file should be; remove it or",
  ELOOP: "its path contains a symbolic link that cannot be followed; remove the link or",
  ENAMETOOLONG: "its name is too long;",
  EBUSY: "it is a mount point or in use;",
  EIO: "the disk reported an error;",
};

/** Reasons that a different folder would not help with. */
const limits: Partial<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and run again",
  EDQUOT: "the disk quota is used up; free some space and run again",
  EFBIG: "the file exceeds the size limit; raise the limit (ulimit -f) and run again",
  EMFILE: "too many files are open; raise the limit (ulimit -n) and run again",
  ENFILE: "too many files are open on this machine; run again later",
};

const readReasons: Partial<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOENT: ["is a broken link", "remove it"],
  ELOOP: ["is a broken link", "remove it"],
  ENOTDIR: ["is not a folder", "replace it with a folder"],
  EISDIR: ["is a folder", "replace it with a file"],
};

/** Returns a function that throws the InputError `FAILURE: REASON.` for a file system error, and any other unchanged. */
export function rethrowing(failure: string, elsewhere: string) {
  return (error: unknown): never => {
    const code = errorCode(error) ?? "";
    const reason = reasons[code];
    const sentence = reason === undefined ? limits[code] : `${reason} ${elsewhere}`;
    throw sentence === undefined ? error : new InputError(`${failure}: ${sentence}.`, { cause: error });
  };
}

export function explaining<Result>(failure: string, elsewhere: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    return rethrowing(failure, elsewhere)(error);
  }
}

/** Returns undefined unless the error says why an existing file cannot be read. */
export function readError(error: unknown, name: string, remedy?: string): InputError | undefined {
  const code = errorCode(error) ?? "";
  const cause = error;
  if (["EACCES", "EPERM"].includes(code))
    return new InputError(`Cannot read ${name}: permission denied; change its permissions.`, { cause });
  const [problem, usual] = readReasons[code] ?? [];
  if (problem === undefined) return undefined;
  return new InputError(`${name} ${problem}; ${remedy ?? usual}.`, { cause });
}
