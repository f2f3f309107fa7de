import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from "node:zlib";
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

type Content = Pick<HttpResponse, "body" | "complete">;

/**
 * Reads a stream to its end, or until more than `maxBytes` came. The buffer doubles, so that many small chunks cost no
 * more than a few large ones.
 */
export async function readAtMost(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  onBytes: (received: number) => void = () => undefined,
): Promise<Content> {
  let buffer = Buffer.alloc(0);
  let received = 0;
  for await (const chunk of stream) {
    const end = received + chunk.length;
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      buffer.copy(larger, 0, 0, received);
      buffer = larger;
    }
    chunk.copy(buffer, received);
    received = end;
    onBytes(received);
    if (received > maxBytes) return { body: buffer.subarray(0, maxBytes), complete: false };
  }
  return { body: buffer.subarray(0, received), complete: true };
}

/** undici has removed the chunks, and the others change nothing. */
const plain: ReadonlySet<string> = new Set(["", "identity", "none", "chunked"]);

/**
 * Decodes at most `maxBytes` of a body (RFC 9110, 8.4): some servers compress although the request forbids it. Rejects
 * with a ProbeFailure if it is malformed, or has an unknown or a second coding: between two, a few bytes can hold
 * terabytes.
 */
export async function decodeContent(
  headers: HttpResponse["headers"],
  content: Content,
  maxBytes: number,
): Promise<Content> {
  const { body, complete } = content;
  const [coding, ...more] = [headers["content-encoding"] ?? [], headers["transfer-encoding"] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => !plain.has(name));
  if (coding === undefined || body.length === 0) return content;
  const decoder = more.length > 0 ? undefined : decoderOf(coding, body);
  if (decoder === undefined) throw new ProbeFailure("not_http");
  decoder.end(body);
  try {
    const decoded = await readAtMost(decoder, maxBytes);
    return { body: decoded.body, complete: complete && decoded.complete };
  } catch (cause) {
    throw new ProbeFailure("not_http", { cause });
  }
}

/** Like curl, these accept a body that ends too early. Its parser notices that it is cut off. */
const flate = { finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

function decoderOf(coding: string, body: Buffer): Transform | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createUnzip(flate);
    case "deflate":
      // Some servers leave out the header of zlib, whose first byte ends in 8 (RFC 9110, 8.4.1.2; RFC 1950).
      return ((body[0] ?? 0) & 15) === 8 ? createUnzip(flate) : createInflateRaw(flate);
    case "br":
      return createBrotliDecompress(brotli);
    default:
      return undefined;
  }
}
