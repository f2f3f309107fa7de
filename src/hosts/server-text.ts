import { InputError } from "../base/errors.ts";
import { hasInvisible, quote } from "../base/text/quote.ts";

/**
 * Returns a function that puts a text in double quotes for a configuration of this server. It throws InputError if the text
 * has one of the `special` characters, or an invisible one.
 */
export function quotedFor(server: string, special: RegExp, remedy: string): (text: string) => string {
  return (text) => {
    if (!special.test(text) && !hasInvisible(text)) return `"${text}"`;
    throw new InputError(`${quote(text)} cannot be written for ${server}; choose ${remedy}.`);
  };
}
