import { createHash } from "node:crypto";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { decodeBy } from "../base/http/response.ts";
import { classifyWhole } from "./classification.ts";
import type { TryRequest } from "./kind.ts";
import { maxSamples, type SampleFile } from "./mirror-content.ts";
import { filePathPattern } from "./mirror-files.ts";

/** How much of a list is read as it is sent, and searched as text. */
export const maxListBytes = 16 * 1024 * 1024;
const maxTextBytes = 64 * 1024 * 1024;

/** How a list has its packages. The first group of each expression is what it finds in the text of one. */
export interface ListFormat {
  /** What a package begins or ends with. */
  readonly separator: string;
  readonly path: RegExp;
  readonly size: RegExp;
}

export interface PackageList {
  /** As it was sent. */
  readonly size: number;
  readonly sha256: string;
  /** Its last bytes, at most `listEndBytes`. */
  readonly end: Buffer;
  /** Some of its packages, evenly spread; none if it is malformed, or compressed by anything but gzip. */
  readonly files: readonly SampleFile[];
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
  format: ListFormat,
  tryRequest: TryRequest,
): Promise<PackageList | undefined> {
  let list: PackageList | undefined;
  const found = await tryRequest(url, classifyWhole, {
    maxBytes: maxListBytes,
    readBody: async (chunks, signal) => {
      list = await listsAtOnce(() => scanList(chunks, format, signal));
    },
  });
  return found?.classification.code === "ok" && found.answer.complete ? list : undefined;
}

/** The digest is of the whole list, even if only a part of it can be searched. */
export async function scanList(
  chunks: AsyncIterable<Buffer>,
  format: ListFormat,
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
  const files = await searchFiles(sent, format, signal);
  while ((await sent.next()).done !== true) signal.throwIfAborted();
  return { size, sha256: digest.digest("hex"), end, files };
}

/** Stops where a list is malformed, or longer than is searched. */
async function searchFiles(
  sent: AsyncGenerator<Buffer>,
  format: ListFormat,
  signal: AbortSignal,
): Promise<readonly SampleFile[]> {
  const search = new FileSearch(format);
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
  return search.end();
}

/** The stream stays open if its reader stops early, so that the rest can still be read. */
async function* withoutClosing(stream: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, undefined> {
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) yield next.value;
}

/** By its magic number (RFC 1952, 2.3.1): a server that sends a .gz as an encoding of its content decompresses it. */
function gunzipFor(first: Buffer): Transform | undefined {
  return first[0] === 0x1f && first[1] === 0x8b ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
}

/** Only the text of a package with thousands of dependencies is longer. */
const maxPackageLength = 65_536;
const maxPathLength = 1000;

/** Of these, up to 16 are drawn. */
const maxFiles = 512;

/**
 * Finds the packages in a text that comes in parts. If there are many, it looks at every second, fourth, eighth … one.
 */
class FileSearch {
  #files: (SampleFile | undefined)[] = [];
  readonly #format: ListFormat;
  #rest = "";
  #count = 0;
  #step = 1;

  constructor(format: ListFormat) {
    this.#format = format;
  }

  add(part: string): void {
    const { separator } = this.#format;
    const text = this.#rest + part;
    let start = 0;
    // The rest may begin with a separator, and end with a part of one.
    let next = text.indexOf(separator, Math.max(1, this.#rest.length - separator.length));
    while (next >= 0) {
      this.#addPackage(text.slice(start, next));
      start = next;
      next = text.indexOf(separator, start + separator.length);
    }
    this.#rest = text.slice(Math.max(start, text.length - maxPackageLength));
  }

  end(): readonly SampleFile[] {
    const last = this.#count % this.#step === 0 ? this.#fileOf(this.#rest) : undefined;
    return [...this.#files, last].filter((file) => file !== undefined);
  }

  #addPackage(text: string): void {
    if (this.#count % this.#step === 0) this.#files.push(this.#fileOf(text));
    this.#count += 1;
    if (this.#files.length <= maxFiles) return;
    this.#files = this.#files.filter((_, place) => place % 2 === 0);
    this.#step *= 2;
  }

  #fileOf(text: string): SampleFile | undefined {
    const path = this.#format.path.exec(text)?.[1];
    if (path === undefined) return undefined;
    const size = this.#format.size.exec(text)?.[1];
    return {
      path: copyOf(path.slice(0, maxPathLength)),
      ...(size !== undefined && { size: Number(size) }),
    };
  }
}

/**
 * Returns files spread evenly over these, and others for another digest, without those that need an encoding in a URL
 * or lead above the mirror.
 */
export function spreadSamples(
  files: readonly SampleFile[],
  digest: string,
  max = maxSamples,
): readonly SampleFile[] {
  const plain = files.filter(
    ({ path }) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path),
  );
  const count = Math.min(max, plain.length);
  const start = Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32;
  return Array.from({ length: count }, (_, turn) => {
    return plain[Math.floor(((turn + start) * plain.length) / count)] ?? [];
  }).flat();
}
