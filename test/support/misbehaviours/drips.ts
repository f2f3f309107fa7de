import type { ServerResponse } from "node:http";
import { mediaType, servicePackets } from "../advertisement.ts";
import type { Greeter, Handler } from "../../../src/testbed/server.ts";

/** Accepts the connection and never writes. Over TLS the handshake hangs. */
export function silentAtConnection(): Greeter {
  return { atConnection: (connection) => connection.resume() };
}

/** Sends an advertisement byte by byte and never ends its first ref. The pause is in milliseconds. */
export function drip(everyMs = 5): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType });
    response.write(`${servicePackets()}fff0`);
    every(everyMs, response, () => response.write("0"));
  };
}

/** Sends headers byte by byte and never ends them. The pause is in milliseconds. */
export function dripHeaders(everyMs = 5): Handler {
  return ({ request, response }) => {
    request.socket.write("HTTP/1.1 200 OK\r\nX-Drip: ");
    every(everyMs, response, () => request.socket.write("0"));
  };
}

function every(intervalMs: number, response: ServerResponse, act: () => void): void {
  const timer = setInterval(act, intervalMs);
  response.once("close", () => {
    clearInterval(timer);
  });
}
