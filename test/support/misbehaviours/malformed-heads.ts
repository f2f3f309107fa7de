import { gzipSync } from "node:zlib";
import { advertise, mediaType, numberedRefs } from "../advertisement.ts";
import type { Handler } from "../../../src/testbed/server.ts";

const body = advertise(numberedRefs(2));

/** Sends a good advertisement under a raw head. */
function under(...head: string[]): Handler {
  return ({ request }) => {
    request.socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
}

const ok = "HTTP/1.1 200 OK";
const type = `Content-Type: ${mediaType}`;

/** Sends two lengths that contradict each other (RFC 9112, section 6.3). */
export function twoLengths(): Handler {
  return under(ok, type, `Content-Length: ${body.length}`, "Content-Length: 7");
}

/** Sends a negative length. */
export function negativeLength(): Handler {
  return under(ok, type, "Content-Length: -1");
}

/** Sends a length with more digits than a number has. */
export function hugeLength(): Handler {
  return under(ok, type, `Content-Length: ${"9".repeat(40)}`);
}

/** Sends a length and chunks, as in response smuggling. */
export function lengthAndChunks(): Handler {
  return under(ok, type, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked");
}

/** Sends a status line without a status. */
export function noStatus(): Handler {
  return under("HTTP/1.1 OK", type);
}

/** Sends a switch to another protocol without a request for it, and without the headers that name it. */
export function unaskedSwitch(): Handler {
  return under("HTTP/1.1 101 Switching Protocols", type);
}

/** Sends a status below the valid ones. */
export function statusBelowAll(): Handler {
  return under("HTTP/1.1 099 OK", type);
}

/** Sends a version that HTTP never had. */
export function noSuchVersion(): Handler {
  return under("HTTP/9.9 200 OK", type);
}

/** Sends a NUL in the value of a header. */
export function nulInHeader(): Handler {
  return under(ok, type, "X-Nul: a\0b");
}

/** Sends a header without a name. */
export function namelessHeader(): Handler {
  return under(ok, type, ": nothing");
}

/** Sends interim responses without end, and never the final one. */
export function endlessContinue(everyMs = 5): Handler {
  return ({ request, response }) => {
    const timer = setInterval(() => request.socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), everyMs);
    response.once("close", () => {
      clearInterval(timer);
    });
  };
}

/** Sends a few kilobytes that decompress to this many bytes, whatever encoding was requested. */
export function gzipBomb(bytes = 64 * 1024 * 1024): Handler {
  let packed: Buffer | undefined;
  return ({ response }) => {
    packed ??= gzipSync(Buffer.alloc(bytes));
    response.writeHead(200, { "content-type": mediaType, "content-encoding": "gzip" }).end(packed);
  };
}
