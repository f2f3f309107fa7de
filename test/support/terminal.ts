import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import type { Terminal } from "../../src/core/base/terminal/context.ts";

/** Part of a question, and the keys to type. */
export type Reply = readonly [question: string | RegExp, keys: string];

export const keys = { enter: "\r", down: "\u001b[B", up: "\u001b[A", clear: "\u0015", interrupt: "\u0003" };

/** How long to wait for a question after the last output. Usually a fraction of this is enough. */
const patienceMs = 20_000;

/**
 * A terminal that waits for each question in order, and then types the reply to it. If a question does not appear, the
 * terminal ends the input and throws an uncaught error with the output so far.
 */
export function scriptedTerminal(
  replies: readonly Reply[],
): Terminal & { seen: () => string; left: () => Reply[] } {
  const input = new PassThrough();
  const left = [...replies];
  let seen = "";
  let from = 0;
  let patience: NodeJS.Timeout | undefined;
  onTestFinished(() => {
    clearTimeout(patience);
  });
  const wait = (): void => {
    clearTimeout(patience);
    if (left.length === 0) return;
    patience = setTimeout(() => {
      input.end();
      throw new Error(`The question ${String(left[0]?.[0])} did not come. This was shown: ${seen}`);
    }, patienceMs).unref();
  };
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      seen += stripVTControlCharacters(chunk.toString());
      const [question, typed] = left[0] ?? [];
      const at = question === undefined ? -1 : seen.slice(from).search(question);
      if (at >= 0) {
        from = seen.length;
        left.shift();
        // Wait until the question reads input.
        setImmediate(() => input.write(typed));
      }
      wait();
      done();
    },
  });
  return { input, output, seen: () => seen, left: () => left };
}
