import type { ServerResponse } from "node:http";
import { Readable, type Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import {
  advertise,
  advertisement,
  mediaType,
  numberedRefs,
  objectId,
  pktLine,
  servicePackets,
} from "../advertisement.ts";
import type { Handler } from "../../../src/testbed/server.ts";

const partsAtOnce = 100;

/** Sends a valid advertisement of very many refs, HEAD first. */
export function hugeAdvertisement(count = 10_000): Handler {
  return advertisement(numberedRefs(count));
}

/** Sends 200 and an endless text, as fast as the client reads. */
export function endlessBody(): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "text/plain" });
    pour(() => "On and on.\n", response, response);
  };
}

/** Sends an advertisement of endless refs, none of them HEAD, as fast as the client reads. */
export function endlessAdvertisement(): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType }).write(servicePackets());
    pour((count) => pktLine(`${objectId(count)} refs/heads/b${count}\n`), response, response);
  };
}

/** Sends endless headers, as fast as the client reads. */
export function endlessHeaders(): Handler {
  return ({ request, response }) => {
    request.socket.write("HTTP/1.1 200 OK\r\n");
    pour((count) => `X-Header-${count}: on and on\r\n`, request.socket, response);
  };
}

/** Sends a good answer with one header of this many bytes. */
export function hugeHeader(bytes = 1_000_000): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType, "x-huge": "x".repeat(bytes) });
    response.end(advertise(numberedRefs(2)));
  };
}

/** Writes the numbered parts while the client reads them. */
function pour(part: (count: number) => string, into: Writable, response: ServerResponse): void {
  const source = Readable.from(parts(part));
  source.pipe(into);
  response.once("close", () => source.destroy());
}

/** Yields many parts at once, each lot in its own turn, so that others in the process get a turn too. */
async function* parts(part: (count: number) => string): AsyncGenerator<string> {
  for (let first = 0; ; first += partsAtOnce) {
    yield Array.from({ length: partsAtOnce }, (_, index) => part(first + index)).join("");
    await setImmediate();
  }
}
