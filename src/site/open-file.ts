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

/** An open regular file. It keeps its content if a run replaces or removes it meanwhile. */
export interface OpenFile {
  readonly size: number;
  readonly modified: Date;
  /** A weak validator, since a file that is rewritten in place within one tick of the clock keeps it. */
  readonly etag: string;
  /** Returns the bytes from `start` to `end`, both included. A stream ends early if the file was truncated. */
  readonly read: (start: number, end: number) => Buffer | ReadStream;
  /** Releases the file if it is not read. */
  readonly close: () => void;
}

/**
 * Returns whether the site has this file, and this user may read it. Follows no symbolic links, as on the hosts. The case of
 * the path must match, even on a file system that ignores case.
 */
export function isFile(root: string, path: string): boolean {
  const file = join(root, path);
  return realPath(file) === file && attempt(() => statSync(file).isFile()) === true;
}

/** Opens a file of the site. Returns undefined if it is gone, is not a regular file, or cannot be read. */
export function openFile(root: string, path: string): OpenFile | undefined {
  if (!isFile(root, path)) return undefined;
  // If a pipe has replaced the file, opening it must not wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = attempt(() => openSync(join(root, path), flags));
  if (descriptor === undefined) return undefined;
  const stats = attempt(() => fstatSync(descriptor, { bigint: true }));
  if (stats?.isFile() === true && stats.size > maxBuffered) return largeFile(descriptor, stats);
  const bytes = stats?.isFile() === true ? attempt(() => readFileSync(descriptor)) : undefined;
  closeSync(descriptor);
  return stats === undefined || bytes === undefined ? undefined : smallFile(bytes, stats);
}

/** Returns the real path of a readable file or folder, otherwise undefined. */
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

/** Returns the result of an action, or undefined if the file system fails: for any reason, there is no file to serve. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
