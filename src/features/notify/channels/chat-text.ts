import { printable, withoutCommands } from "../../../core/base/text/quote.ts";
import { type Message, outline } from "./message.ts";

export interface ChatFormat {
  readonly text: (untrusted: string) => string;
  readonly link: (label: string, url: string) => string;
}

/**
 * Renders a message in a few lines, with at most `maxBytes` of UTF-8 in total. The last lines, `reason` and `leave`,
 * are always kept. If not all other lines fit, the first of them are kept, followed by `…`.
 */
export function chatLines(message: Message, { text, link }: ChatFormat, maxBytes: number): string[] {
  const { feed, reason, leave } = message;
  const parts = outline(message, {
    text,
    facts: ({ evidence, page }) => {
      const facts = evidence.map(({ name, value }) => text(`${name}: ${value}`));
      return [...facts, ...(page === undefined ? [] : [link("Details", page)])].join("\n");
    },
    mirror: ({ name, place }) => `• ${text(name)} (${text(place)})`,
  });
  const lines = parts.flat();
  if (feed.url !== undefined) lines.push(link("All mirrors", feed.url));
  const end = [text(reason), text(leave)].filter((line) => line !== "");
  return [...fitting(lines, maxBytes - bytesOf(end), "…"), ...end];
}

/** Returns the first lines, followed by `rest` if not all of them fit. */
export function fitting(lines: readonly string[], maxBytes: number, rest: string): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (bytesOf([...kept, line, rest]) > maxBytes) return [...kept, rest];
    kept.push(line);
  }
  return kept;
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** Returns untrusted text as one line that cannot control a terminal or a CI log. */
export function chatLine(text: string, maxLength = 500): string {
  return withoutCommands(printable(text.trim().replaceAll(/\s+/g, " "), maxLength));
}

/**
 * A dash, or a word of letters and digits with optional quotes, brackets and punctuation. Colons are allowed only in
 * times, since `:tada:` is an emoji.
 */
const plain =
  /^(?:["“(]{0,2}[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[-'’.,]|(?<=\p{Nd}):(?=\p{Nd}{2}(?!\p{Nd})))[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*["”)]{0,2}[.,;:!?]?|[–—%]\.?)$/u;

/**
 * Words that GitHub or a chat would turn into a link (hostnames, issues and commits) or into a list (numbers such as
 * `1.`).
 */
const linked = /www\.|gh-\d|[0-9a-f]{7}|^\d+[.)]$/i;

/**
 * Returns untrusted text as one line in which only plain words stay as they are. All other words go through `code`, so
 * a name in mirrors.json cannot become markup, a mention, a reference or a link.
 */
export function plainWords(text: string, code: (word: string) => string): string {
  return chatLine(text, 2000)
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (plain.test(word) && !linked.test(word) ? word : code(word)))
    .join(" ");
}
