import { formatCount } from "../../../core/base/text/count.ts";
import type { Fact, Message, MessageEvent, MessageMirror } from "./message.ts";

/** How a format renders the parts of a message. Empty parts are left out. */
export interface Format {
  /** Renders an event's title and sentence, and counts of what is not shown. */
  readonly text: (text: string) => string;
  readonly facts: (event: MessageEvent) => string;
  readonly mirror: (mirror: MessageMirror) => string;
}

/** Renders the parts of each event, and how many more there are. If there are several, each begins with its title. */
export function outline({ events, more_events }: Message, { text, facts, mirror }: Format): string[][] {
  const shown = events.map((event) =>
    [
      events.length > 1 ? text(event.title) : "",
      text(event.sentence),
      facts(event),
      ...event.mirrors.map(mirror),
      event.more_mirrors > 0 ? text(`And ${formatCount(event.more_mirrors, "more mirror")}.`) : "",
    ].filter((part) => part !== ""),
  );
  return more_events > 0 ? [...shown, [`And ${formatCount(more_events, "more event")}.`]] : shown;
}

export function mirrorFacts({ url, place, evidence }: MessageMirror): Fact[] {
  return [{ name: "URL", value: url }, { name: "Target", value: place }, ...evidence];
}

const width = 72;

/** Renders a message as plain text, wrapped at 72 characters. URLs and commands are never broken. */
export function renderText(message: Message): string {
  const { title, events, reason, leave } = message;
  const parts = outline(message, { text: wrap, facts: eventLines, mirror: mirrorLines });
  const sections = [
    wrap(title),
    ...parts.map((part) => part.join("\n\n")),
    `${wrap(reason)}\n${wrap(leave)}\n`,
  ];
  return sections.join(events.length > 1 ? "\n\n\n" : "\n\n");
}

function eventLines({ evidence, page, mirrors }: MessageEvent): string {
  // The page of an event about one mirror is that of the mirror.
  return factLines(evidence, mirrors.some((mirror) => mirror.page === page) ? undefined : page);
}

function mirrorLines(mirror: MessageMirror): string {
  const { name, page, command } = mirror;
  const facts = factLines(mirrorFacts(mirror), page, "  ");
  return [wrap(name), facts, "  To probe it again:", `    ${command}`].join("\n");
}

function factLines(facts: readonly Fact[], page: string | undefined, indent = ""): string {
  const all = page === undefined ? facts : [...facts, { name: "Page", value: page }];
  return all.map(({ name, value }) => wrap(`${name}: ${value}`, indent, `${indent}  `)).join("\n");
}

/** Breaks lines only at spaces. A word that is longer than a line gets a line of its own. */
function wrap(text: string, first = "", others = first): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const indent = lines.length === 0 ? first : others;
    if (line === "") line = indent + word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = others + word;
    }
  }
  return [...lines, line].join("\n");
}
