import { formatCount } from "../base/text/count.ts";
import { formatMinute } from "../base/text/timestamp.ts";
import { printable, withoutCommands } from "../base/text/quote.ts";
import { eventsShown, type Message, type MessageEvent } from "./message.ts";

/** How a chat writes untrusted text and a link. */
export interface ChatFormat {
  readonly text: (untrusted: string) => string;
  readonly link: (label: string, url: string) => string;
}

/** Renders a message in a few lines, each in UTF-8 within `maxBytes` together. The reason stays if not all fits. */
export function chatLines(message: Message, format: ChatFormat, maxBytes: number): string[] {
  const { events, feed, reason, leave } = message;
  const more = events.length - eventsShown;
  const lines = [
    ...events.slice(0, eventsShown).flatMap((event) => eventLines(event, events.length > 1, format)),
    ...(more > 0 ? [`And ${formatCount(more, "more event")}.`] : []),
    ...(feed.url === undefined ? [] : [format.link("All mirrors", feed.url)]),
  ];
  const end = [format.text(reason), format.text(leave)].filter((line) => line !== "");
  return [...fitting(lines, maxBytes - bytesOf(end)), ...end];
}

function eventLines(event: MessageEvent, isOfMany: boolean, { text, link }: ChatFormat): string[] {
  const { title, sentence, since, until, mirrors, moreMirrors, page } = event;
  return [
    ...(isOfMany ? [text(title)] : []),
    text(sentence),
    text(`Since ${formatMinute(since)}${until === undefined ? "" : ` until ${formatMinute(until)}`}.`),
    ...mirrors.map(({ name, place }) => `• ${text(name)} (${text(place)})`),
    ...(moreMirrors > 0 ? [`And ${formatCount(moreMirrors, "more mirror")}.`] : []),
    ...(page === undefined ? [] : [link("Its page", page)]),
  ].filter((line) => line !== "");
}

/** Returns untrusted text on one line without a meaning for a terminal or a log. */
export function chatLine(text: string, maxLength = 500): string {
  return withoutCommands(printable(text.trim().replaceAll(/\s+/g, " "), maxLength));
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
