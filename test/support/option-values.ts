import { expect } from "vitest";
import { InputError } from "../../src/core/base/errors.ts";

export type Parse = (text: string) => unknown;

export function expectTaken(parse: Parse, values: Readonly<Record<string, unknown>>): void {
  for (const [text, value] of Object.entries(values)) expect(parse(text), text).toEqual(value);
}

/** Fails unless the parser refuses each text with a sentence that a terminal can show. */
export function expectRefused(parse: Parse, texts: readonly string[]): void {
  for (const text of texts) {
    expect(() => parse(text), text).toThrow(InputError);
    expect(() => parse(text), text).toThrow(
      /^(?:"|--site-url: )[^\u001b\n]*(?:is|contains|has) [^\u001b\n]*\.$/,
    );
  }
}
