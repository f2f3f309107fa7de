import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { collect, decodeBy, failingAs } from "../base/http/response.ts";
import { maxSamples, type SampleFile } from "./mirror-content.ts";
import { filePathPattern } from "./mirror-files.ts";

/** Counted before decompression. Only the first part of a longer list is read. */
export const maxListBytes = 16 * 1024 * 1024;
/** Counted after decompression. */
const maxTextBytes = 64 * 1024 * 1024;

export type Digest = "sha256" | "sha512";

export type PackageList = Readonly<Awaited<ReturnType<typeof scanList>>>;

export const listEndBytes = 512;

/** Returns one of `step` packages, different ones for each window, or none if the list can't be decompressed. */
export async function scanList(
  chunks: AsyncIterable<Buffer>,
  format: ListFormat,
  signal: AbortSignal,
  { window = 0, algorithm = "sha256" }: { window?: number; algorithm?: Digest | undefined } = {},
) {
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
  const search = fileSearch(format, window);
  const isWellFormed = await searchList(sent, search, signal);
  while ((await sent.next()).done !== true) signal.throwIfAborted();
  const { step, files } = search.found();
  // A list that is cut off at the limit looks malformed at its end.
  const isUsable = isWellFormed || size >= maxListBytes;
  return { size, digest: hash.digest("hex"), end, step, files: isUsable ? files : [] };
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
  // The magic number decides (RFC 1952, 2.3.1), because a .gz sent with Content-Encoding arrives decompressed.
  const gunzip = () =>
    first.toString("hex", 0, 2) === "1f8b" ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
  try {
    if (decompress === undefined) await searchText(decodeBy(all, gunzip), search, signal);
    else
      await wholeAtOnce(async () => {
        const text = failingAs(decompress(await collect(all)), (cause) =>
          Object.assign(new Error("The data is malformed.", { cause }), { code: "Z_DATA_ERROR" }),
        );
        await dictionariesAtOnce(() => searchText(text, search, signal));
      });
  } catch (error) {
    if (errorCode(error)?.startsWith("Z_") === true) return false;
    throw error;
  }
  return true;
}

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

/** Looks at the magic number (RFC 8878, 3.1.1; The .xz File Format, 2.1.1). */
async function decompressorFor(first: Buffer) {
  const magic = first.toString("hex", 0, 6);
  // Loaded only here, because they contain WebAssembly.
  if (magic.startsWith("28b52ffd")) return (await import("./decompress.ts")).decompressZstd;
  if (magic === "fd377a585a00") return (await import("./decompress.ts")).decompressXz;
  return undefined;
}

type Find = (text: string) => string | undefined;

/** How to find files in a list. Both functions get the text of one file. */
export interface ListFormat {
  /** Text that begins or ends every file. */
  readonly separator: string;
  readonly path: Find;
  readonly size?: Find;
}

export function firstGroup(pattern: RegExp): Find {
  return (text) => pattern.exec(text)?.[1];
}

/** Longer than any entry, except those of packages with thousands of dependencies. */
const maxPackageLength = 65_536;
const maxPathLength = 1000;

/** How many files a search keeps. Up to 16 of them become samples. */
const maxFiles = 512;

export type FileSearch = ReturnType<typeof fileSearch>;

/** Finds packages in parts of a text. If there are too many, keeps one of `step`: different ones in each window. */
export function fileSearch(format: ListFormat, window: number) {
  const { separator } = format;
  let files: (SampleFile | undefined)[] = [];
  let step = 1;
  let rest = "";
  let count = 0;
  const keep = (text: string): void => {
    if (count % step === window % step) files.push(fileIn(text, format));
  };
  const addPackage = (text: string): void => {
    keep(text);
    count += 1;
    if (files.length <= maxFiles) return;
    const parity = Math.floor(window / step) % 2;
    files = files.filter((_, place) => place % 2 === parity);
    step *= 2;
  };
  return {
    add: (part: string): void => {
      const text = rest + part;
      let start = 0;
      // `rest` can begin with a separator, and end with part of one.
      let next = text.indexOf(separator, Math.max(1, rest.length - separator.length));
      while (next >= 0) {
        addPackage(text.slice(start, next));
        start = next;
        next = text.indexOf(separator, start + separator.length);
      }
      rest = text.slice(Math.max(start, text.length - maxPackageLength));
    },
    /** Adds the last package. Don't call it if the text was cut off: the package's path might be, too. */
    finish: (): void => {
      keep(rest);
    },
    found: () => ({ step, files: files.filter((file) => file !== undefined) }),
  };
}

function fileIn(text: string, format: ListFormat): SampleFile | undefined {
  const path = format.path(text);
  if (path === undefined) return undefined;
  const size = format.size?.(text);
  return {
    // A slice would keep the whole text in memory.
    path: Buffer.from(path.slice(0, maxPathLength), "latin1").toString("latin1"),
    ...(size !== undefined && { size: Number(size) }),
  };
}

/** Returns evenly spread samples, without special paths. Groups 0, 1, 2, … have all files in turn. */
export function spreadSamples(files: readonly SampleFile[], group: number): readonly SampleFile[] {
  const plain = files.filter(
    ({ path }) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path),
  );
  // Every `step`th file from the first, then every one from the second, and so on.
  const step = Math.ceil(plain.length / maxSamples);
  const rows = Array.from({ length: step }, (_, row) => plain.filter((_, place) => place % step === row));
  const spread = rows.flat();
  const start = (group * maxSamples) % spread.length;
  return [...spread.slice(start), ...spread.slice(0, start)].slice(0, maxSamples);
}
