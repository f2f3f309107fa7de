import { errorCode, InputError } from "./errors.ts";

type Sentence = (elsewhere: string) => string;

const forbidden: Sentence = (elsewhere) => `this user may not; change its permissions or ${elsewhere}`;
const below: Sentence = (elsewhere) => `a file stands where its folder must be; ${elsewhere}`;

const reasons: Partial<Record<string, Sentence>> = {
  // Node says so too of a folder that it cannot make on a read-only file system.
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
  EISDIR: (elsewhere) => `a folder stands where a file must be; remove it or ${elsewhere}`,
  ELOOP: (elsewhere) => `its folder is a link that leads nowhere; ${elsewhere}`,
  ENAMETOOLONG: (elsewhere) => `its name is too long; ${elsewhere}`,
  EBUSY: (elsewhere) => `it is mounted by itself, or in use; ${elsewhere}`,
  EIO: (elsewhere) => `the disk fails; ${elsewhere}`,
};

/**
 * What a person can do where the file system refused: an InputError of the sentence `FAILURE: REASON.`, whose reason
 * ends with the remedy `elsewhere` where another place would help. Undefined where the error is none of these.
 */
export function fileFault(error: unknown, failure: string, elsewhere: string): InputError | undefined {
  const reason = reasons[errorCode(error) ?? ""];
  if (reason === undefined) return undefined;
  return new InputError(`${failure}: ${reason(elsewhere)}.`, { cause: error });
}
