import type { ServerResponse } from "node:http";
import { Readable, type Writable } from "node:stream";
import { advertisement, mediaType } from "./advertisement.ts";
import { advertise, numberedRefs, objectId, pktLine, servicePackets } from "./pkt-line.ts";
import type { Handler } from "./server.ts";

/** A valid advertisement of very many refs, HEAD first. */
export function hugeAdvertisement(count = 10_000): Handler {
  return advertisement(numberedRefs(count));
}

/** 200 and a text without end, as fast as the client takes it. */
export function endlessBody(): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "text/plain" });
    pour(() => "On and on.\n".repeat(1000), response, response);
  };
}

/** An advertisement of refs without end, none of them HEAD, as fast as the client takes it. */
export function endlessAdvertisement(): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType }).write(servicePackets());
    pour((count) => pktLine(`${objectId(count)} refs/heads/b${count}\n`), response, response);
  };
}

/** Headers without end, as fast as the client takes them. */
export function endlessHeaders(): Handler {
  return ({ request, response }) => {
    request.socket.write("HTTP/1.1 200 OK\r\n");
    pour((count) => `X-Header-${count}: on and on\r\n`, request.socket, response);
  };
}

/** A good answer with one header of so many bytes. */
export function hugeHeader(bytes = 1_000_000): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType, "x-huge": "x".repeat(bytes) });
    response.end(advertise(numberedRefs(2)));
  };
}

/** Writes the numbered parts for as long as the client reads them. */
function pour(part: (count: number) => string, into: Writable, response: ServerResponse): void {
  const source = Readable.from(parts(part));
  source.pipe(into);
  response.once("close", () => source.destroy());
}

function* parts(part: (count: number) => string): Generator<string> {
  for (let count = 0; ; count += 1) yield part(count);
}
