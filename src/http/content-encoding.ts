import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from "node:zlib";
import { ProbeFailure } from "./failure.ts";
import type { HttpResponse } from "./response.ts";

/** As much of a body as is read. */
export interface Content {
  readonly body: Buffer;
  /** Whether that is all of it. */
  readonly complete: boolean;
}

/** Chunks are gone when a body comes here, and the others change nothing. */
const idle: ReadonlySet<string> = new Set(["", "identity", "none", "chunked"]);

/** The codings of a body, those of its content first, without those that need no decoding. */
export function codingsOf({ headers }: Pick<HttpResponse, "headers">): readonly string[] {
  return [headers["content-encoding"] ?? [], headers["transfer-encoding"] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(","))
    .map((coding) => coding.trim())
    .filter((coding) => !idle.has(coding));
}

/**
 * Decodes a body (RFC 9110, 8.4) until more than `maxBytes` came of it: some servers compress though they are asked not
 * to. Rejects with a ProbeFailure if the body is not so encoded, the coding is not known, or there are several: a few
 * bytes could hold terabytes between two of them.
 */
export async function decodeContent(
  [coding = "", ...more]: readonly string[],
  { body, complete }: Content,
  maxBytes: number,
): Promise<Content> {
  const decoder = more.length > 0 ? undefined : decoderOf(coding, body);
  if (decoder === undefined) throw new ProbeFailure("not_http");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    decoder.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (received <= maxBytes) return;
      decoder.destroy();
      resolve({ body: Buffer.concat(chunks).subarray(0, maxBytes), complete: false });
    });
    decoder.once("end", () => {
      resolve({ body: Buffer.concat(chunks), complete });
    });
    decoder.once("error", (cause) => {
      reject(new ProbeFailure("not_http", { cause }));
    });
    decoder.end(body);
  });
}

/** A body that ends too early gives what it held, as with curl: who reads the text sees that it is cut off. */
const flate = { finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

function decoderOf(coding: string, body: Buffer): Transform | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createUnzip(flate);
    case "deflate":
      // Some servers leave out zlib's head, whose first byte ends in 8 (RFC 9110, 8.4.1.2; RFC 1950).
      return ((body[0] ?? 0) & 15) === 8 ? createUnzip(flate) : createInflateRaw(flate);
    case "br":
      return createBrotliDecompress(brotli);
    default:
      return undefined;
  }
}
