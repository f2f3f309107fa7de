import { createHash } from "node:crypto";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { decodeBy } from "../base/http/response.ts";
import { classifyWhole } from "./classification.ts";
import type { TryRequest } from "./kind.ts";
import { filePathPattern } from "./mirror-files.ts";

/** How much of a list is read as it is sent, and searched as text. */
export const maxListBytes = 16 * 1024 * 1024;
const maxTextBytes = 64 * 1024 * 1024;

/** What is around a path in the text of a list. `after` may also begin the next `before`. */
export interface PathMarks {
  readonly before: string;
  readonly after: string;
}

export interface PackageList {
  /** As it was sent. */
  readonly size: number;
  readonly sha256: string;
  /** Its last bytes, at most `listEndBytes`. */
  readonly end: Buffer;
  /** Some of its paths, evenly spread; none if it is malformed, or compressed by anything but gzip. */
  readonly paths: readonly string[];
}

export const listEndBytes = 512;

/** Each takes less than 1 MB. The others wait until one is done, or until their deadline. */
const listsAtOnce = pLimit(64);

const chunksAtOnce = pLimit(1);

/**
 * Parses one chunk. All mirrors together have one parsed in each turn of the event loop, so that no other probe waits
 * for them.
 */
export function inTurn(signal: AbortSignal, parse: () => void): Promise<void> {
  return chunksAtOnce(async () => {
    signal.throwIfAborted();
    parse();
    await setImmediate();
  });
}

/** A slice of a text would keep all of it in memory. */
export function copyOf(ascii: string): string {
  return Buffer.from(ascii, "latin1").toString("latin1");
}

/** Reads a list as it comes, without keeping it or its text. Returns undefined if it does not come whole. */
export async function readList(
  url: URL,
  marks: PathMarks,
  tryRequest: TryRequest,
): Promise<PackageList | undefined> {
  let list: PackageList | undefined;
  const found = await tryRequest(url, classifyWhole, {
    maxBytes: maxListBytes,
    readBody: async (chunks, signal) => {
      list = await listsAtOnce(() => scanList(chunks, marks, signal));
    },
  });
  return found?.classification.code === "ok" && found.answer.complete ? list : undefined;
}

/** The digest is of the whole list, even if only a part of it can be searched. */
export async function scanList(
  chunks: AsyncIterable<Buffer>,
  marks: PathMarks,
  signal: AbortSignal,
): Promise<PackageList> {
  const digest = createHash("sha256");
  let size = 0;
  let end = Buffer.alloc(0);
  const sent = (async function* () {
    for await (const chunk of chunks) {
      digest.update(chunk);
      size += chunk.length;
      end = Buffer.concat([end, chunk.subarray(-listEndBytes)]).subarray(-listEndBytes);
      yield chunk;
    }
  })();
  const paths = await searchPaths(sent, marks, signal);
  while ((await sent.next()).done !== true) signal.throwIfAborted();
  return { size, sha256: digest.digest("hex"), end, paths };
}

/** Leaves the rest of a list that is malformed, or longer than is searched. */
async function searchPaths(
  sent: AsyncGenerator<Buffer>,
  marks: PathMarks,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const search = new PathSearch(marks);
  let size = 0;
  try {
    for await (const text of decodeBy(withoutClosing(sent), gunzipFor)) {
      await inTurn(signal, () => {
        search.add(text.toString("latin1"));
      });
      size += text.length;
      if (size >= maxTextBytes) break;
    }
  } catch (error) {
    if (errorCode(error)?.startsWith("Z_") === true) return [];
    throw error;
  }
  return search.paths;
}

/** Whoever stops reading it leaves the rest of the stream to others. */
async function* withoutClosing(stream: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, undefined> {
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) yield next.value;
}

/** By its magic number (RFC 1952, 2.3.1): a server that sends a .gz as an encoding of its content decompresses it. */
function gunzipFor(first: Buffer): Transform | undefined {
  return first[0] === 0x1f && first[1] === 0x8b ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
}

/** No path with its marks is longer. */
const maxMarkedLength = 1000;

/** Of these, up to 16 are drawn. */
const maxPaths = 512;

/** Finds the paths in a text that comes in parts. Of many it keeps every second, fourth, eighth … one. */
class PathSearch {
  paths: string[] = [];
  readonly #marks: PathMarks;
  #rest = "";
  #found = 0;
  #step = 1;

  constructor(marks: PathMarks) {
    this.#marks = marks;
  }

  add(part: string): void {
    const { before, after } = this.#marks;
    const text = this.#rest + part;
    let end = 0;
    for (;;) {
      const start = text.indexOf(before, end);
      const stop = start < 0 ? -1 : text.indexOf(after, start + before.length);
      if (stop < 0) break;
      if (this.#found % this.#step === 0) this.#keep(text.slice(start + before.length, stop));
      this.#found += 1;
      end = stop;
    }
    this.#rest = text.slice(Math.max(end, text.length - maxMarkedLength));
  }

  #keep(path: string): void {
    this.paths.push(copyOf(path.slice(0, maxMarkedLength)));
    if (this.paths.length <= maxPaths) return;
    this.paths = this.paths.filter((_, place) => place % 2 === 0);
    this.#step *= 2;
  }
}

export const maxSamples = 16;

/**
 * Returns paths spread evenly over these, and others for another digest, without those that need an encoding in a URL
 * or lead above the mirror.
 */
export function spreadSamples(paths: readonly string[], digest: string, max = maxSamples): readonly string[] {
  const plain = paths.filter((path) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path));
  const count = Math.min(max, plain.length);
  const start = Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32;
  return Array.from({ length: count }, (_, turn) => {
    return plain[Math.floor(((turn + start) * plain.length) / count)] ?? [];
  }).flat();
}
