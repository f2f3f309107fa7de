import { formatMinute } from "../base/text/timestamp.ts";
import { printable, withoutCommands } from "../base/text/quote.ts";
import { eventsShown, type Message, type MessageEvent, moreEvents, moreMirrors } from "./message.ts";

/** How a chat writes untrusted text and a link. */
export interface ChatFormat {
  readonly text: (untrusted: string) => string;
  readonly link: (label: string, url: string) => string;
}

/** Renders a message in a few lines, each in UTF-8 within `maxBytes` together. The reason stays if not all fits. */
export function chatLines(message: Message, format: ChatFormat, maxBytes: number): string[] {
  const { events, feed, reason, leave } = message;
  const more = moreEvents(events);
  const lines = [
    ...events.slice(0, eventsShown).flatMap((event) => eventLines(event, events.length > 1, format)),
    ...(more === "" ? [] : [`${more}.`]),
    ...(feed.url === undefined ? [] : [format.link("All mirrors", feed.url)]),
  ];
  const end = [format.text(reason), format.text(leave)].filter((line) => line !== "");
  return [...fitting(lines, maxBytes - bytesOf(end)), ...end];
}

function eventLines(event: MessageEvent, isOfMany: boolean, { text, link }: ChatFormat): string[] {
  const { title, sentence, since, until, mirrors, page } = event;
  return [
    ...(isOfMany ? [text(title)] : []),
    text(sentence),
    text(`Since ${formatMinute(since)}${until === undefined ? "" : ` until ${formatMinute(until)}`}.`),
    ...mirrors.map(({ name, place }) => `• ${text(name)} (${text(place)})`),
    ...moreMirrors(event),
    ...(page === undefined ? [] : [link("Its page", page)]),
  ].filter((line) => line !== "");
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
  return chatLine(text, 2000)
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (plain.test(word) && !linked.test(word) ? word : code(word)))
    .join(" ");
}
