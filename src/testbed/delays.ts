import type { ServerResponse } from "node:http";
import { advertisement, mediaType } from "./advertisement.ts";
import { servicePackets } from "./pkt-line.ts";
import type { Exchange, Greeter, Handler } from "./server.ts";

/** Accepts the request and never answers. */
export function silent(): Handler {
  return () => undefined;
}

/** Accepts the connection and never writes. Over TLS the handshake hangs. */
export function silentAtConnection(): Greeter {
  return { atConnection: (connection) => connection.resume() };
}

/** Waits for a number of milliseconds, then answers well. */
export function slow(delayMs = 200, answer: Handler = advertisement()): Handler {
  return async (exchange) => {
    if (await waited(delayMs, exchange)) await answer(exchange);
  };
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

/** Returns true after the time, or false as soon as the client disconnects. */
function waited(delayMs: number, { response }: Exchange): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs, true);
    response.once("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
