import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { headId } from "../../support/advertisement.ts";
import { good, http, long, rows, smart, smartType } from "../../support/raw-answer.ts";

/** A body under the content coding it is said to have. */
function encoded(coding: string, body: Buffer | string): Buffer {
  return http("200 OK", [smartType, `Content-Encoding: ${coding}`], body);
}

const gzip = gzipSync(good);
const members = "RFC 1952 lets a gzip have several members; libcurl stops at the end of the first.";
const twice =
  "A few bytes could hold terabytes between two codings, so one is taken; no server is known that needs two.";

/** Bodies that are compressed, though a probe asks for them as they are. */
export const encodingCases = rows(
  ["encoding: gzip", "ok", encoded("gzip", gzip)],
  ["encoding: x-gzip", "ok", encoded("x-gzip", gzip)],
  ["encoding: gzip in upper case", "ok", encoded("GZIP", gzip)],
  ["encoding: deflate", "ok", encoded("deflate", deflateSync(good))],
  ["encoding: deflate without zlib's head", "ok", encoded("deflate", deflateRawSync(good))],
  ["encoding: br", "ok", encoded("br", brotliCompressSync(good))],
  ["encoding: identity", "ok", encoded("identity", good)],
  ["encoding: none", "ok", encoded("none", good)],
  ["encoding: empty", "ok", encoded("", good)],
  ["encoding: a charset", "not_http", encoded("utf-8", good)],
  ["encoding: compress", "not_http", encoded("compress", good)],
  ["encoding: zlib as gzip", "ok", encoded("gzip", deflateSync(good))],
  ["encoding: gzip and identity", "ok", encoded("gzip, identity", gzip)],
  ["encoding: gzip twice", "not_http", encoded("gzip, gzip", gzipSync(gzip)), twice],
  ["encoding: gzip that is none", "not_http", encoded("gzip", good)],
  ["encoding: gzip cut off", "not_git", encoded("gzip", gzip.subarray(0, 60))],
  ["encoding: gzip without its checksum", "ok", encoded("gzip", gzip.subarray(0, -8))],
  [
    "encoding: gzip with a wrong checksum",
    "not_http",
    encoded("gzip", Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)])),
  ],
  ["encoding: gzip and an empty body", "not_git", encoded("gzip", "")],
  [
    "encoding: gzip in two members",
    "ok",
    encoded("gzip", Buffer.concat([gzipSync(good.slice(0, 90)), gzipSync(good.slice(90))])),
    members,
  ],
  [
    "encoding: gzip of a server without git",
    "ok",
    http("200 OK", ["Content-Encoding: gzip"], gzipSync(`${headId}\trefs/heads/main\n`)),
  ],
  ["encoding: gzip of more refs than are read", "ok", encoded("gzip", gzipSync(long(3000)))],
  ["encoding: gzip of 16 MB", "not_git", encoded("gzip", gzipSync(Buffer.alloc(16 * 1024 * 1024)))],
  ["encoding: gzip of an error", "http_status", http("404 Not Found", ["Content-Encoding: gzip"], gzip)],
  [
    "encoding: gzip in chunks",
    "ok",
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\n${smartType}\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ),
      Buffer.from(`${gzip.length.toString(16)}\r\n`),
      gzip,
      Buffer.from("\r\n0\r\n\r\n"),
    ]),
  ],
  [
    "transfer coding: gzip, then chunks",
    "ok",
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\n${smartType}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`),
      Buffer.from(`${gzip.length.toString(16)}\r\n`),
      gzip,
      Buffer.from("\r\n0\r\n\r\n"),
    ]),
  ],
  ["encoding: gzip that is not said", "not_git", smart(gzip)],
);
