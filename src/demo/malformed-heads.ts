import { gzipSync } from "node:zlib";
import { mediaType } from "./advertisement.ts";
import { advertise, numberedRefs } from "./pkt-line.ts";
import type { Handler } from "./server.ts";

const body = advertise(numberedRefs(2));

/** A good advertisement under a head that is sent as it is. */
function under(...head: string[]): Handler {
  return ({ request }) => {
    request.socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
}

const ok = "HTTP/1.1 200 OK";
const type = `Content-Type: ${mediaType}`;

/** Two lengths that contradict each other (RFC 9112, section 6.3). */
export function twoLengths(): Handler {
  return under(ok, type, `Content-Length: ${body.length}`, "Content-Length: 7");
}

/** A length below nothing. */
export function negativeLength(): Handler {
  return under(ok, type, "Content-Length: -1");
}

/** A length of more digits than a number has. */
export function hugeLength(): Handler {
  return under(ok, type, `Content-Length: ${"9".repeat(40)}`);
}

/** A length, and chunks beside it: how answers are smuggled past each other. */
export function lengthAndChunks(): Handler {
  return under(ok, type, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked");
}

/** A status line without a status. */
export function noStatus(): Handler {
  return under("HTTP/1.1 OK", type);
}

/** A version that HTTP never had. */
export function noSuchVersion(): Handler {
  return under("HTTP/9.9 200 OK", type);
}

/** A NUL in the value of a header. */
export function nulInHeader(): Handler {
  return under(ok, type, "X-Nul: a\0b");
}

/** A header that has no name. */
export function namelessHeader(): Handler {
  return under(ok, type, ": nothing");
}

/** An interim answer again and again, and never the final one. */
export function endlessContinue(everyMs = 5): Handler {
  return ({ request, response }) => {
    const timer = setInterval(() => request.socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), everyMs);
    response.once("close", () => {
      clearInterval(timer);
    });
  };
}

/** A few kilobytes that would unpack to so many bytes, whatever encoding was asked for. */
export function gzipBomb(bytes = 64 * 1024 * 1024): Handler {
  let packed: Buffer | undefined;
  return ({ response }) => {
    packed ??= gzipSync(Buffer.alloc(bytes));
    response.writeHead(200, { "content-type": mediaType, "content-encoding": "gzip" }).end(packed);
  };
}
