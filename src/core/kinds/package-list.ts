import { createHash } from "node:crypto";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { collect, decodeBy, failingAs } from "../base/http/response.ts";
import { classifyWhole, filePathPattern } from "./mirror-files.ts";
import type { TryRequest } from "./kind.ts";
import { maxSamples, type SampleFile } from "./mirror-content.ts";

/** Counted before decompression. Only the first part of a longer list is read. */
export const maxListBytes = 16 * 1024 * 1024;
/** Counted after decompression. */
const maxTextBytes = 64 * 1024 * 1024;

export type Digest = "sha256" | "sha512";

type Find = (text: string) => string | undefined;

/** How to find files in a list. Both functions get the text of one file. */
export interface ListFormat {
  /** Text that begins or ends every file. */
  readonly separator: string;
  readonly path: Find;
  readonly size?: Find;
}

/** Finds the first group of an expression. */
export function firstGroup(pattern: RegExp): Find {
  return (text) => pattern.exec(text)?.[1];
}

export interface PackageList {
  /** In bytes, before decompression. */
  readonly size: number;
  readonly digest: string;
  /** The last bytes, at most `listEndBytes`. */
  readonly end: Buffer;
  /** `files` has one of this many packages. A power of 2. */
  readonly step: number;
  /** Some packages, evenly spread. Empty if the list can't be decompressed. */
  readonly files: readonly SampleFile[];
}

export const listEndBytes = 512;

interface SampleOptions {
  /** The number of the run. The returned packages are for 16 runs. */
  readonly turn: number;
  /** Whether this is the list that the revision names. */
  readonly isRight: (list: PackageList) => boolean;
  /** The algorithm of the digest that `isRight` gets (default: sha256). */
  readonly algorithm?: Digest | undefined;
  /** The folder that the paths in the list start at (default: the mirror's URL). Ends with a slash. */
  readonly folder?: string;
}

/**
 * Reads a list, and returns sample packages. Returns undefined if the list is incomplete or not the right one. Lists
 * that are too long to be read completely count as right.
 */
export async function readSamples(
  url: URL,
  format: ListFormat,
  tryRequest: TryRequest,
  { turn, isRight, algorithm, folder = "" }: SampleOptions,
): Promise<readonly SampleFile[] | undefined> {
  const window = Math.floor(turn / maxSamples);
  let list: PackageList | undefined;
  const found = await tryRequest(url, classifyWhole, {
    maxBytes: maxListBytes,
    readBody: async (chunks, signal) => {
      list = await scanList(chunks, format, signal, { window, algorithm });
    },
  });
  if (found?.classification.code !== "ok" || list === undefined) return undefined;
  if (found.answer.complete && !isRight(list)) return undefined;
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
  { window = 0, algorithm = "sha256" }: { window?: number; algorithm?: Digest | undefined } = {},
): Promise<PackageList> {
  const hash = createHash(algorithm);
  let size = 0;
  let end = Buffer.alloc(0);
  const sent = (async function* (): AsyncGenerator<Buffer, undefined> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      end = Buffer.concat([end, chunk.subarray(-listEndBytes)]).subarray(-listEndBytes);
      yield chunk;
    }
  })();
  const search = new FileSearch(format, window);
  const isMalformed = !(await searchList(sent, search, signal));
  while ((await sent.next()).done !== true) signal.throwIfAborted();
  // A list that is cut off at the limit looks malformed at its end.
  const files = isMalformed && size < maxListBytes ? [] : search.files;
  return { size, digest: hash.digest("hex"), end, step: search.step, files };
}

/** Each turn of the event loop searches at most one chunk, so that other probes don't have to wait. */
const chunksAtOnce = pLimit(1);
/** How many lists are kept in memory, because a slow server must not keep a large dictionary in use. */
const wholeAtOnce = pLimit(8);
const dictionariesAtOnce = pLimit(1);

/** Returns false if the list can't be decompressed. */
async function searchList(
  sent: AsyncGenerator<Buffer, undefined>,
  search: FileSearch,
  signal: AbortSignal,
): Promise<boolean> {
  const { value: first = Buffer.alloc(0) } = await sent.next();
  const all = startingWith(first, sent);
  const decompress = await decompressorFor(first);
  try {
    if (decompress === undefined) await searchText(decodeBy(all, gunzipFor), search, signal);
    else
      await wholeAtOnce(async () => {
        const text = failingAs(decompress(await collect(all)), malformed);
        await dictionariesAtOnce(() => searchText(text, search, signal));
      });
  } catch (error) {
    if (errorCode(error)?.startsWith("Z_") === true) return false;
    throw error;
  }
  return true;
}

/** Searches up to `maxTextBytes`. */
async function searchText(
  parts: AsyncIterable<Buffer>,
  search: FileSearch,
  signal: AbortSignal,
): Promise<void> {
  let size = 0;
  for await (const text of parts) {
    await chunksAtOnce(async () => {
      signal.throwIfAborted();
      search.add(text.toString("latin1"));
      await setImmediate();
    });
    size += text.length;
    if (size >= maxTextBytes) return;
  }
  search.finish();
}

/** Keeps the stream open if its reader stops early, so that the rest can still be read. */
async function* startingWith(
  first: Buffer,
  stream: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer, undefined> {
  yield first;
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) yield next.value;
}

/** Looks at the magic number (RFC 1952, 2.3.1), because a .gz sent with Content-Encoding arrives decompressed. */
function gunzipFor(first: Buffer): Transform | undefined {
  return first[0] === 0x1f && first[1] === 0x8b ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
}

/** Looks at the magic number (RFC 8878, 3.1.1; The .xz File Format, 2.1.1). */
async function decompressorFor(first: Buffer) {
  const magic = first.toString("hex", 0, 6);
  // Loaded only here, because they contain WebAssembly.
  if (magic.startsWith("28b52ffd")) return (await import("./decompress.ts")).decompressZstd;
  if (magic === "fd377a585a00") return (await import("./decompress.ts")).decompressXz;
  return undefined;
}

function malformed(cause: unknown): Error {
  return Object.assign(new Error("The data is malformed.", { cause }), { code: "Z_DATA_ERROR" });
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

  /** Adds the last package. Don't call it if the text was cut off: the package's path might be, too. */
  finish(): void {
    if (this.#isKept()) this.#files.push(this.#fileOf(this.#rest));
  }

  get files(): readonly SampleFile[] {
    return this.#files.filter((file) => file !== undefined);
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
    const path = this.#format.path(text);
    if (path === undefined) return undefined;
    const size = this.#format.size?.(text);
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
