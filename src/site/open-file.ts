import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  type ReadStream,
  realpathSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

/** A file up to this size is read when it is opened; a larger one is read while it is sent. */
const maxBuffered = 1024 * 1024;

/** A regular file that is open: a run that replaces or removes it meanwhile changes nothing of what is read. */
export interface OpenFile {
  readonly size: number;
  readonly modified: Date;
  /** Weak, since a file that is rewritten in place within one tick of the clock keeps it. */
  readonly etag: string;
  /** Returns the bytes from `start` to `end`, both included. A stream ends early if the file was cut off. */
  readonly read: (start: number, end: number) => Buffer | ReadStream;
  /** Frees what the file holds if nothing is read of it. */
  readonly close: () => void;
}

/**
 * Whether the site has this file, and it may be read. No link is followed, wherever it leads, as where the site is
 * published; a path in another case than the file's is none, on file systems that fold case too.
 */
export function isFile(root: string, path: string): boolean {
  const file = join(root, path);
  return realPath(file) === file && attempt(() => statSync(file).isFile()) === true;
}

/** Opens a file of the site; undefined if it is gone, is no regular file, or cannot be read. */
export function openFile(root: string, path: string): OpenFile | undefined {
  if (!isFile(root, path)) return undefined;
  // A pipe that took the place of the file must not make the open wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = attempt(() => openSync(join(root, path), flags));
  if (descriptor === undefined) return undefined;
  const stats = attempt(() => fstatSync(descriptor, { bigint: true }));
  if (stats?.isFile() === true && stats.size > maxBuffered) return largeFile(descriptor, stats);
  const bytes = stats?.isFile() === true ? attempt(() => readFileSync(descriptor)) : undefined;
  closeSync(descriptor);
  return stats === undefined || bytes === undefined ? undefined : smallFile(bytes, stats);
}

/** Returns the real path of what can be read, or undefined. */
export function realPath(path: string): string | undefined {
  return attempt(() => {
    accessSync(path, constants.R_OK);
    return realpathSync.native(path);
  });
}

function smallFile(bytes: Buffer, stats: BigIntStats): OpenFile {
  return {
    ...versionOf(stats),
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end + 1),
    close: () => undefined,
  };
}

function largeFile(descriptor: number, stats: BigIntStats): OpenFile {
  return {
    ...versionOf(stats),
    size: Number(stats.size),
    read: (start, end) => createReadStream("", { fd: descriptor, start, end }),
    close: () => {
      closeSync(descriptor);
    },
  };
}

function versionOf({ ino, size, mtime, mtimeNs }: BigIntStats): Pick<OpenFile, "modified" | "etag"> {
  const parts = [ino, size, mtimeNs].map((part) => part.toString(36));
  return { modified: mtime, etag: `W/"${parts.join("-")}"` };
}

/** Whatever the reason of the file system, there is nothing to serve then. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
