import {
  eventsShown,
  type Fact,
  type Message,
  type MessageEvent,
  type MessageMirror,
  moreEvents,
  moreMirrors,
} from "./message.ts";

const width = 72;

/** Renders a message as plain text, in lines of 72 characters. URLs and commands stay whole. */
export function renderText(message: Message): string {
  const { events, title, reason, leave, feed } = message;
  const more = moreEvents(events);
  const isDigest = events.length > 1;
  const parts = [
    ...(isDigest ? [title] : []),
    ...events.slice(0, eventsShown).map(eventPart),
    ...(more === "" ? [] : [`${more}${feed.url === undefined ? "." : `: ${feed.url}`}`]),
    [wrap(reason), wrap(leave)].join("\n"),
  ];
  return `${parts.join(isDigest ? "\n\n\n" : "\n\n")}\n`;
}

function eventPart(event: MessageEvent): string {
  const { title, sentence, evidence, page, mirrors } = event;
  const hasOwnPage = page !== undefined && mirrors.every((mirror) => mirror.page !== page);
  const facts: Fact[] = hasOwnPage ? [...evidence, ["Page", page]] : [...evidence];
  return [
    wrap(title),
    wrap(sentence),
    facts.map((fact) => factLine(fact)).join("\n"),
    ...mirrors.map(mirrorPart),
    ...moreMirrors(event),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function mirrorPart({ name, url, place, page, evidence, command }: MessageMirror): string {
  const facts: Fact[] = [["URL", url], ["Target", place], ...evidence];
  if (page !== undefined) facts.push(["Page", page]);
  return [
    wrap(name),
    ...facts.map((fact) => factLine(fact, "  ")),
    "  To probe it again:",
    `    ${command}`,
  ].join("\n");
}

function factLine([name, value]: Fact, indent = ""): string {
  return wrap(`${name}: ${value}`, indent, `${indent}  `);
}

/** Returns a text in lines that break only at spaces. A longer word has a line of its own. */
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
