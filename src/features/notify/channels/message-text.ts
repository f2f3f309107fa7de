import type { Fact, Message, MessageMirror } from "./message.ts";
import { outline, ownPage } from "./message-outline.ts";

const width = 72;

/** Renders a message as plain text, wrapped at 72 characters. URLs and commands are never broken. */
export function renderText({ title, reason, leave, feed, ...message }: Message): string {
  const { parts, more } = outline(message, {
    heading: wrap,
    text: wrap,
    facts: (event) => factLines([...event.evidence, ...pageFact(ownPage(event))]),
    mirror: mirrorPart,
  });
  const sections = [
    wrap(title),
    ...parts.map((part) => part.join("\n\n")),
    ...(more === "" ? [] : [feed.url === undefined ? `${more}.` : `${more}: ${feed.url}`]),
    `${wrap(reason)}\n${wrap(leave)}\n`,
  ];
  return sections.join(message.events.length > 1 ? "\n\n\n" : "\n\n");
}

function mirrorPart({ name, url, place, page, evidence, command }: MessageMirror): string {
  const known = [
    { name: "URL", value: url },
    { name: "Target", value: place },
    ...evidence,
    ...pageFact(page),
  ];
  return [wrap(name), factLines(known, "  "), "  To probe it again:", `    ${command}`].join("\n");
}

function pageFact(page: string | undefined): Fact[] {
  return page === undefined ? [] : [{ name: "Page", value: page }];
}

function factLines(facts: readonly Fact[], indent = ""): string {
  return facts.map(({ name, value }) => wrap(`${name}: ${value}`, indent, `${indent}  `)).join("\n");
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
