import type { Exchange, Handler } from "./server.ts";

/** Accepts the request and never answers. */
export function silent(): Handler {
  return () => undefined;
}

/** Waits for a number of milliseconds, then answers well. */
export function slow(delayMs: number, answer: Handler): Handler {
  return async (exchange) => {
    if (await waited(delayMs, exchange)) await answer(exchange);
  };
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
