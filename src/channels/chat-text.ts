import { formatMinute } from "../base/text/timestamp.ts";
import { printable, withoutCommands } from "../base/text/quote.ts";
import type { Message } from "./message.ts";
import { outline } from "./outline.ts";

/** How a chat writes untrusted text and a link. */
export interface ChatFormat {
  readonly text: (untrusted: string) => string;
  readonly link: (label: string, url: string) => string;
}

/** Renders a message in a few lines, each in UTF-8 within `maxBytes` together. The reason stays if not all fits. */
export function chatLines(
  { events, feed, reason, leave }: Message,
  { text, link }: ChatFormat,
  maxBytes: number,
): string[] {
  const { parts, more } = outline(events, {
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

/** Returns untrusted text on one line without a meaning for a terminal or a log. */
export function chatLine(text: string, maxLength = 500): string {
  return withoutCommands(printable(text.trim().replaceAll(/\s+/g, " "), maxLength));
}

/**
 * A word of letters and digits, with quotes, brackets and a punctuation mark around it, or a dash. Colons are those of
 * times: `:tada:` is an emoji.
 */
const plain =
  /^(?:["“(]{0,2}[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[-'’.,]|(?<=\p{Nd}):(?=\p{Nd}{2}(?!\p{Nd})))[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*["”)]{0,2}[.,;:!?]?|[–—%]\.?)$/u;

/** Texts that GitHub or a chat would turn into a link or a list: a hostname, an issue, a commit, a number. */
const linked = /www\.|gh-\d|[0-9a-f]{7}|^\d+[.)]$/i;

/**
 * Returns untrusted text on one line, in which only plain words stand as they are. All others go through `code`, which
 * shows them without a meaning. So no markup, mention, reference or link can come from a name in mirrors.json.
 */
export function plainWords(text: string, code: (word: string) => string): string {
  return chatLine(text, 2000)
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (plain.test(word) && !linked.test(word) ? word : code(word)))
    .join(" ");
}
