import { formatMinute } from "../../../core/base/text/timestamp.ts";
import { printable, withoutCommands } from "../../../core/base/text/quote.ts";
import type { Message } from "./message.ts";
import { outline } from "./message-outline.ts";

export interface ChatFormat {
  readonly text: (untrusted: string) => string;
  readonly link: (label: string, url: string) => string;
}

/**
 * Renders a message in a few lines, with at most `maxBytes` of UTF-8 in total. The last lines, `reason` and `leave`,
 * are always kept. If not all other lines fit, the first of them are kept, followed by `…`.
 */
export function chatLines(
  { feed, reason, leave, ...message }: Message,
  { text, link }: ChatFormat,
  maxBytes: number,
): string[] {
  const { parts, more } = outline(message, {
    heading: text,
    text,
    facts: ({ since, until }) =>
      text(`Since ${formatMinute(since)}${until === undefined ? "" : ` until ${formatMinute(until)}`}.`),
    mirror: ({ name, place }) => `• ${text(name)} (${text(place)})`,
    end: ({ page }) => (page === undefined ? "" : link("Details", page)),
  });
  const lines = [
    ...parts.flat(),
    ...(more === "" ? [] : [`${more}.`]),
    ...(feed.url === undefined ? [] : [link("All mirrors", feed.url)]),
  ];
  const end = [text(reason), text(leave)].filter((line) => line !== "");
  return [...fitting(lines, maxBytes - bytesOf(end)), ...end];
}

function fitting(lines: readonly string[], max: number): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (bytesOf([...kept, line, "…"]) > max) return [...kept, "…"];
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
