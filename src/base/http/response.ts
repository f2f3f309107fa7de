import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from "node:zlib";
import pLimit from "p-limit";
import { ProbeFailure } from "./failure.ts";

/** An HTTP answer: first its head alone, then with the body as far as it was read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. */
  readonly body: Buffer;
  /** Whether all of it was read. */
  readonly complete: boolean;
  /** Whether it is longer than `maxBytes`, so that the rest is not read. */
  readonly bounded: boolean;
  readonly tlsExpiresAt: string | undefined;
}

/** A stream as far as `maxBytes`. It is complete once all of it was read and no more came. */
export class BoundedBody {
  received = 0;
  complete = false;
  readonly #stream: AsyncIterable<Buffer>;
  readonly #maxBytes: number;

  constructor(stream: AsyncIterable<Buffer>, maxBytes: number) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
  }

  async *chunks(): AsyncGenerator<Buffer, undefined> {
    for await (const chunk of this.#stream) {
      const room = this.#maxBytes - this.received;
      this.received += chunk.length;
      if (chunk.length > room) {
        if (room > 0) yield chunk.subarray(0, room);
        return;
      }
      yield chunk;
    }
    this.complete = true;
  }
}

/** The buffer doubles, so that many small chunks cost no more than a few large ones. */
export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let received = 0;
  for await (const chunk of chunks) {
    const end = received + chunk.length;
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      buffer.copy(larger, 0, 0, received);
      buffer = larger;
    }
    chunk.copy(buffer, received);
    received = end;
  }
  return buffer.subarray(0, received);
}

/** Errors of the stream become failures. Errors that its reader throws do not. */
export async function* failingAs(
  chunks: AsyncGenerator<Buffer, undefined>,
  failureOf: (error: unknown) => Error,
): AsyncGenerator<Buffer, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw failureOf(error);
  }
}

/** undici has removed the chunk coding, and the other codings change nothing. */
const plain: ReadonlySet<string> = new Set(["", "identity", "none", "chunked"]);

/**
 * Decodes a body (RFC 9110, 8.4): some servers compress although the request forbids it. Fails if it is malformed, or
 * has an unknown or a second coding: between two, a few bytes can hold terabytes.
 */
export function decodeContent(
  headers: HttpResponse["headers"],
  chunks: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer, undefined> {
  const [coding, ...more] = [headers["content-encoding"] ?? [], headers["transfer-encoding"] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => !plain.has(name));
  if (coding === undefined) return chunks;
  if (coding === "br" && more.length === 0) return decodeBrotli(chunks);
  return decodeBy(chunks, (first) => {
    const decoder = more.length > 0 ? undefined : decoderOf(coding, first);
    if (decoder === undefined) throw new ProbeFailure("not_http");
    return decoder;
  });
}

/** Sends a stream through the decoder that its first chunk calls for, or passes it on if it calls for none. */
export async function* decodeBy(
  chunks: AsyncGenerator<Buffer, undefined>,
  decoderFor: (first: Buffer) => Transform | undefined,
): AsyncGenerator<Buffer, undefined> {
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const decoder = decoderFor(first);
  const all = (async function* () {
    yield first;
    yield* chunks;
  })();
  // The reader of the decoder gets its errors and those of the stream.
  const decoded: AsyncIterable<Buffer> =
    decoder === undefined ? all : pipeline(all, decoder, () => undefined);
  yield* decoded;
}

/** Like curl, these accept a body that ends too early. Its parser notices that it is cut off. */
const flate = { finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** More is not read in brotli, and not decoded: a server that sends it was not asked to. */
const maxBrotliBytes = 1024 * 1024;

const brotliAtOnce = pLimit(2);

/**
 * Decodes a body once it is here, and few at once: a decoder fills its whole window before it returns anything, which
 * takes 200 bytes, and a server that then sends no more would keep it until the deadline.
 */
async function* decodeBrotli(chunks: AsyncGenerator<Buffer, undefined>): AsyncGenerator<Buffer, undefined> {
  const sent = new BoundedBody(chunks, maxBrotliBytes);
  const body = await collect(sent.chunks());
  if (hasWideWindow(body)) throw new ProbeFailure("too_large");
  const decoder = createBrotliDecompress(brotli);
  const decoded = new BoundedBody(decoder, maxBrotliBytes);
  yield await brotliAtOnce(() => {
    decoder.end(body);
    return collect(decoded.chunks());
  });
  if (!sent.complete || !decoded.complete) throw new ProbeFailure("too_large");
}

/** Encoders use a window of 4 MB by default. Streams with 8 and 16 MB begin like this (RFC 7932, 9.1). */
function hasWideWindow([first = 0]: Buffer): boolean {
  return (first & 13) === 13;
}

function decoderOf(coding: string, body: Buffer): Transform | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createUnzip(flate);
    case "deflate":
      // Some servers leave out the header of zlib, whose first byte ends in 8 (RFC 9110, 8.4.1.2; RFC 1950).
      return ((body[0] ?? 0) & 15) === 8 ? createUnzip(flate) : createInflateRaw(flate);
    default:
      return undefined;
  }
}
