import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import pLimit from "p-limit";
import { errorCode } from "../base/errors.ts";
import { collect, decodeBy, failingAs } from "../base/http/response.ts";
import { type FileSearch, fileSearch, type ListFormat } from "./file-search.ts";

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
