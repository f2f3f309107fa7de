import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Terminal } from "../../src/terminal/context.ts";

/** A question by a part of its text, and the keys to type then. Undefined ends the input. */
export type Reply = readonly [question: string | RegExp, keys: string | undefined];

export const keys = { enter: "\r", down: "\u001b[B", clear: "\u0015", interrupt: "\u0003", end: "\u0004" };

/** Returns a terminal that types each reply once its question is shown, in order. */
export function scriptedTerminal(
  replies: readonly Reply[],
): Terminal & { seen: () => string; left: () => Reply[] } {
  const input = new PassThrough();
  const left = [...replies];
  let seen = "";
  let from = 0;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      seen += stripVTControlCharacters(chunk.toString());
      const [question, typed] = left[0] ?? [];
      const at = question === undefined ? -1 : seen.slice(from).search(question);
      if (at >= 0) {
        from = seen.length;
        left.shift();
        // Not before the question reads input.
        setImmediate(() => (typed === undefined ? input.end() : input.write(typed)));
      }
      done();
    },
  });
  return { input, output, seen: () => seen, left: () => left };
}
