import type { ServerResponse } from "node:http";
import { advertise, mediaType, numberedRefs, servicePackets } from "../advertisement.ts";
import type { Greeter, Handler } from "../../../src/testbed/server.ts";

/** Sends the start of an advertisement under a larger Content-Length, then closes the connection. */
export function truncatedBody(): Handler {
  return (exchange) => {
    sendStart(exchange.response, () => exchange.request.socket.end());
  };
}

/** Sends the start of an advertisement, then a TCP reset. */
export function resetMidway(): Handler {
  return (exchange) => {
    // Without the pause, data and reset arrive together, which the client of Node.js reports as an orderly end.
    sendStart(exchange.response, () => setTimeout(exchange.reset, 50));
  };
}

/** Sends a TCP reset instead of an answer. */
export function reset(): Handler {
  return (exchange) => {
    exchange.reset();
  };
}

/** Sends a TCP reset as soon as the connection is accepted, before TLS. */
export function resetAtConnection(): Greeter {
  return { atConnection: (connection) => connection.resetAndDestroy() };
}

/** Closes the connection instead of answering. */
export function closeWithoutAnswer(): Handler {
  return ({ request }) => {
    request.socket.end();
  };
}

/** Sends a chunked answer whose first chunk has no size. */
export function malformedChunks(): Handler {
  return ({ request }) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    request.socket.end(`${head}size unknown\r\n${advertise(numberedRefs(2))}\r\n0\r\n\r\n`);
  };
}

function sendStart(response: ServerResponse, then: () => void): void {
  const body = advertise(numberedRefs(2));
  response.writeHead(200, { "content-type": mediaType, "content-length": body.length });
  response.write(body.slice(0, servicePackets().length + 24), then);
}
