import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Handler } from "./server.ts";

/** Accepts the request and never answers. */
export function silent(): Handler {
  return () => undefined;
}

/** Waits for a number of milliseconds, then answers well, unless the client has disconnected. */
export function slow(delayMs: number, answer: Handler): Handler {
  return async (exchange) => {
    const { response } = exchange;
    await Promise.race([sleep(delayMs, undefined, { ref: false }), once(response, "close")]);
    if (!response.closed) await answer(exchange);
  };
}
