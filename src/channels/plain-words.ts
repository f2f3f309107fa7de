import { printable, withoutCommands } from "../base/text/quote.ts";

const maxLength = 2000;

/** A word of letters and digits, with quotes, brackets and a punctuation mark around it, or a dash. Colons are those of times: `:tada:` is an emoji. */
const plain =
  /^(?:["“(]{0,2}[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[-'’.,]|(?<=\p{Nd}):(?=\p{Nd}{2}(?!\p{Nd})))[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*["”)]{0,2}[.,;:!?]?|[–—%]\.?)$/u;

/** What GitHub or a chat would make a link or a list of: a hostname, an issue, a commit, the number of an item. */
const linked = /www\.|gh-\d|[0-9a-f]{7}|^\d+[.)]$/i;

/**
 * Returns untrusted text on one line, in which only plain words stand as they are. All others go through `code`, which
 * shows them without a meaning. So no markup, mention, reference or link can come from a name in mirrors.json.
 */
export function plainWords(text: string, code: (word: string) => string): string {
  return withoutCommands(printable(text.trim().replaceAll(/\s+/g, " "), maxLength))
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (plain.test(word) && !linked.test(word) ? word : code(word)))
    .join(" ");
}
