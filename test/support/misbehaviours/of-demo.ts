import * as behaviours from "../../../src/testbed/behaviours.ts";
import type { Handler } from "../../../src/testbed/server.ts";
import { advertisement } from "../advertisement.ts";
import { nowhere } from "../loopback.ts";

/** Redirects a whole mirror. By default to a port that nothing listens on. */
export function moved(mirrorUrl = nowhere): Handler {
  return behaviours.moved(mirrorUrl);
}

/** Waits for a number of milliseconds, then answers well. */
export function slow(delayMs = 200, answer: Handler = advertisement()): Handler {
  return behaviours.slow(delayMs, answer);
}

/** Resets this many times, then answers. Each call counts for itself. */
export function flaky(failures = 1, answer: Handler = advertisement()): Handler {
  return behaviours.flaky(failures, answer);
}
