import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { good, http, long, rows, smart, smartType } from "../../../support/raw-answer.ts";

/** An answer with a body that is labelled with a content coding, rightly or not. */
function encoded(coding: string, body: Buffer | string): Buffer {
  return http("200 OK", [smartType, `Content-Encoding: ${coding}`], body);
}

const gzip = gzipSync(good);
const wrongChecksum = Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)]);
const twoMembers = Buffer.concat([gzipSync(good.slice(0, 90)), gzipSync(good.slice(90))]);
const members = "RFC 1952 allows several gzip members; libcurl stops after the first.";
const twice =
  "With two codings, a few bytes could become terabytes, so only one is accepted; no known server needs two.";
const unasked = "No known server sends brotli to a client that does not ask for it.";

/** Compressed bodies, although a probe does not ask for compression. */
export const encodingCases = [
  ...rows("ok", {
    "encoding: gzip": encoded("gzip", gzip),
    "encoding: deflate": encoded("deflate", deflateSync(good)),
    "encoding: deflate without zlib's head": encoded("deflate", deflateRawSync(good)),
    "encoding: gzip without its checksum": encoded("gzip", gzip.subarray(0, -8)),
    "encoding: gzip of more refs than are read": encoded("gzip", gzipSync(long(3000))),
    "transfer coding: gzip, then chunks": Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\n${smartType}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`),
      Buffer.from(`${gzip.length.toString(16)}\r\n`),
      gzip,
      Buffer.from("\r\n0\r\n\r\n"),
    ]),
  }),
  ...rows("not_http", {
    "encoding: gzip with a wrong checksum": encoded("gzip", wrongChecksum),
  }),
  ...rows("not_http", { "encoding: br": encoded("br", brotliCompressSync(good)) }, unasked),
  ...rows("not_http", { "encoding: gzip twice": encoded("gzip, gzip", gzipSync(gzip)) }, twice),
  ...rows("not_git", {
    "encoding: gzip cut off": encoded("gzip", gzip.subarray(0, 60)),
    "encoding: gzip of 16 MB": encoded("gzip", gzipSync(Buffer.alloc(16 * 1024 * 1024))),
    "encoding: gzip that is not said": smart(gzip),
  }),
  ...rows("ok", { "encoding: gzip in two members": encoded("gzip", twoMembers) }, members),
];
