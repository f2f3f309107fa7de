import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from "node:zlib";
import { ProbeFailure } from "./failure.ts";
import type { HttpResponse } from "./response.ts";

/** The part of a body that was read, and whether that is all of it. */
export type Content = Pick<HttpResponse, "body" | "complete">;

/** Codings that need no decoding here: undici has removed the chunks, and the others change nothing. */
const plain: ReadonlySet<string> = new Set(["", "identity", "none", "chunked"]);

/** Returns the codings of a body that need decoding, those of its content first. */
export function codingsOf({ headers }: Pick<HttpResponse, "headers">): readonly string[] {
  return [headers["content-encoding"] ?? [], headers["transfer-encoding"] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(","))
    .map((coding) => coding.trim())
    .filter((coding) => !plain.has(coding));
}

/**
 * Decodes a body (RFC 9110, 8.4), at most `maxBytes` of it. Some servers compress although the request forbids it. Rejects
 * with a ProbeFailure if the body is malformed, the coding is unknown, or there are several codings: between two of them,
 * a few bytes can stand for terabytes.
 */
export async function decodeContent(
  [coding = "", ...more]: readonly string[],
  { body, complete }: Content,
  maxBytes: number,
): Promise<Content> {
  const decoder = more.length > 0 ? undefined : decoderOf(coding, body);
  if (decoder === undefined) throw new ProbeFailure("not_http");
  decoder.end(body);
  const decoded: AsyncIterable<Buffer> = decoder;
  const chunks: Buffer[] = [];
  let received = 0;
  try {
    for await (const chunk of decoded) {
      chunks.push(chunk);
      received += chunk.length;
      if (received > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), complete: false };
    }
  } catch (cause) {
    throw new ProbeFailure("not_http", { cause });
  }
  return { body: Buffer.concat(chunks), complete };
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
