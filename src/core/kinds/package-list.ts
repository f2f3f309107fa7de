import { createHash } from "node:crypto";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { decodeBy } from "../base/http/response.ts";
import { classifyWhole, filePathPattern } from "./mirror-files.ts";
import type { TryRequest } from "./kind.ts";
import { maxSamples, type SampleFile } from "./mirror-content.ts";

/** Counted before decompression. */
export const maxListBytes = 16 * 1024 * 1024;
/** Counted after decompression. */
const maxTextBytes = 64 * 1024 * 1024;

/** How to find packages in a list. Each expression applies to the text of one package; its first group is the value. */
export interface ListFormat {
  /** Text that begins or ends every package. */
  readonly separator: string;
  readonly path: RegExp;
  readonly size: RegExp;
}

export interface PackageList {
  /** In bytes, before decompression. */
  readonly size: number;
  readonly sha256: string;
  /** The last bytes, at most `listEndBytes`. */
  readonly end: Buffer;
  /** `files` has one of this many packages. A power of 2. */
  readonly step: number;
  /** Some packages, evenly spread. Empty if the list is malformed, or compressed with anything but gzip. */
  readonly files: readonly SampleFile[];
}

export const listEndBytes = 512;

interface SampleOptions {
  /** The number of the run. The returned packages are for 16 runs. */
  readonly turn: number;
  /** Whether this is the list that the revision names. */
  readonly isRight: (list: PackageList) => boolean;
  /** The folder that the paths in the list start at (default: the mirror's URL). Ends with a slash. */
  readonly folder?: string;
}

/** Reads a list, and returns sample packages. Returns undefined if the list is incomplete or not the right one. */
export async function readSamples(
  url: URL,
  format: ListFormat,
  tryRequest: TryRequest,
  { turn, isRight, folder = "" }: SampleOptions,
): Promise<readonly SampleFile[] | undefined> {
  const window = Math.floor(turn / maxSamples);
  let list: PackageList | undefined;
  const found = await tryRequest(url, classifyWhole, {
    maxBytes: maxListBytes,
    readBody: async (chunks, signal) => {
      list = await scanList(chunks, format, signal, window);
    },
  });
  if (found?.classification.code !== "ok" || !found.answer.complete) return undefined;
  if (list === undefined || !isRight(list)) return undefined;
  return spreadSamples(
    list.files.map((file) => ({ ...file, path: `${folder}${file.path}` })),
    Math.floor(window / list.step),
  );
}

/**
 * The digest covers the whole list, even if only part of it can be searched. For a different `window`, other packages of
 * a long list are found.
 */
export async function scanList(
  chunks: AsyncIterable<Buffer>,
  format: ListFormat,
  signal: AbortSignal,
  window = 0,
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
  const search = new FileSearch(format, window);
  const isRead = await searchFiles(sent, search, signal);
  while ((await sent.next()).done !== true) signal.throwIfAborted();
  return { size, sha256: digest.digest("hex"), end, step: search.step, files: isRead ? search.end() : [] };
}

/** Each turn of the event loop searches at most one chunk, so that other probes don't have to wait. */
const chunksAtOnce = pLimit(1);

/** Searches up to `maxTextBytes`. Returns false if the list can't be decompressed. */
async function searchFiles(
  sent: AsyncGenerator<Buffer>,
  search: FileSearch,
  signal: AbortSignal,
): Promise<boolean> {
  let size = 0;
  try {
    for await (const text of decodeBy(withoutClosing(sent), gunzipFor)) {
      await chunksAtOnce(async () => {
        signal.throwIfAborted();
        search.add(text.toString("latin1"));
        await setImmediate();
      });
      size += text.length;
      if (size >= maxTextBytes) break;
    }
  } catch (error) {
    if (errorCode(error)?.startsWith("Z_") === true) return false;
    throw error;
  }
  return true;
}

/** Keeps the stream open if its reader stops early, so that the rest can still be read. */
async function* withoutClosing(stream: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, undefined> {
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) yield next.value;
}

/** Looks at the magic number (RFC 1952, 2.3.1), because a .gz sent with Content-Encoding arrives decompressed. */
function gunzipFor(first: Buffer): Transform | undefined {
  return first[0] === 0x1f && first[1] === 0x8b ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
}

/** Longer than any entry, except those of packages with thousands of dependencies. */
const maxPackageLength = 65_536;
const maxPathLength = 1000;

/** How many files a search keeps. Up to 16 of them become samples. */
const maxFiles = 512;

/**
 * Finds packages in text that arrives in parts. If there are too many, keeps every second, then every fourth, etc.
 * Each window starts with a different package, so that together they have every package.
 */
class FileSearch {
  #files: (SampleFile | undefined)[] = [];
  readonly #format: ListFormat;
  readonly #window: number;
  step = 1;
  #rest = "";
  #count = 0;

  constructor(format: ListFormat, window: number) {
    this.#format = format;
    this.#window = window;
  }

  add(part: string): void {
    const { separator } = this.#format;
    const text = this.#rest + part;
    let start = 0;
    // `#rest` can begin with a separator, and end with part of one.
    let next = text.indexOf(separator, Math.max(1, this.#rest.length - separator.length));
    while (next >= 0) {
      this.#addPackage(text.slice(start, next));
      start = next;
      next = text.indexOf(separator, start + separator.length);
    }
    this.#rest = text.slice(Math.max(start, text.length - maxPackageLength));
  }

  end(): readonly SampleFile[] {
    const last = this.#isKept() ? this.#fileOf(this.#rest) : undefined;
    return [...this.#files, last].filter((file) => file !== undefined);
  }

  #addPackage(text: string): void {
    if (this.#isKept()) this.#files.push(this.#fileOf(text));
    this.#count += 1;
    if (this.#files.length <= maxFiles) return;
    const parity = Math.floor(this.#window / this.step) % 2;
    this.#files = this.#files.filter((_, place) => place % 2 === parity);
    this.step *= 2;
  }

  #isKept(): boolean {
    return this.#count % this.step === this.#window % this.step;
  }

  #fileOf(text: string): SampleFile | undefined {
    const path = this.#format.path.exec(text)?.[1];
    if (path === undefined) return undefined;
    const size = this.#format.size.exec(text)?.[1];
    return {
      // A slice would keep the whole text in memory.
      path: Buffer.from(path.slice(0, maxPathLength), "latin1").toString("latin1"),
      ...(size !== undefined && { size: Number(size) }),
    };
  }
}

/**
 * Returns samples without paths that need encoding in a URL or lead out of the mirror. Groups 0, 1, 2, … have all files
 * in turn, each group's evenly spread.
 */
export function spreadSamples(files: readonly SampleFile[], group: number): readonly SampleFile[] {
  const plain = files.filter(
    ({ path }) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path),
  );
  const count = plain.length;
  // Multiples of the golden ratio are evenly spread. They reach every file if the stride has no common divisor.
  let stride = Math.max(1, Math.round(0.618 * count));
  while (hasCommonDivisor(stride, count)) stride += 1;
  return Array.from({ length: Math.min(maxSamples, count) }, (_, turn) => {
    return plain[((group * maxSamples + turn) * stride) % count] ?? [];
  }).flat();
}

function hasCommonDivisor(one: number, other: number): boolean {
  return other === 0 ? one > 1 : hasCommonDivisor(other, one % other);
}
