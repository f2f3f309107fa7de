import { printable, withoutCommands } from "../../../core/base/text/quote.ts";
import { parseUrl } from "../../../core/base/text/url.ts";
import { plainWords } from "./chat-text.ts";
import type { Fact, Message, MessageMirror } from "./message.ts";
import { outline } from "./message-outline.ts";

/** GitHub accepts up to 65,536 characters in an issue or a comment. */
const maxLength = 60_000;

const maxCodeLength = 3000;

/**
 * Renders a message as GitHub Flavored Markdown. Any of its text may come from mirrors.json, so all but plain words
 * become code. Inside code, none of these has an effect: Markdown, HTML, mentions, issue references and links.
 */
export function renderMarkdown({ reason, leave, feed, ...message }: Message): string {
  const { parts, more } = outline(message, {
    heading: (title) => `### ${markdownText(title)}`,
    text: markdownText,
    facts: ({ evidence, page }) => [...evidence.map(factItem), ...pageItem(page)].join("\n"),
    mirror: mirrorPart,
  });
  const sections = [...parts.flat(), ...(more === "" ? [] : [`${more}.`])];
  const end = ["---", `${markdownText(reason)} ${markdownText(leave)}`];
  if (feed.url !== undefined) end.push(link("All mirrors", feed.url));
  return [...fitting(sections, maxLength - end.join("").length), ...end].join("\n\n");
}

/** Renders untrusted text as one line of Markdown without any markup of its own. */
export function markdownText(text: string): string {
  return plainWords(text, markdownCode);
}

function markdownCode(text: string): string {
  const line = withoutCommands(printable(text, maxCodeLength));
  if (line === "") return "";
  const runs = (line.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const room = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

function mirrorPart({ id, name, url, place, page, evidence, command }: MessageMirror): string {
  const items = [
    `- URL: ${markdownCode(url)}`,
    `- Target: ${markdownCode(place)} (id ${id})`,
    ...evidence.map(factItem),
    ...pageItem(page),
    `- To probe it again: ${markdownCode(command)}`,
  ];
  return `**Mirror** ${markdownCode(name)}\n\n${items.join("\n")}`;
}

function factItem({ name, value }: Fact): string {
  return `- ${markdownText(name)}: ${markdownText(value)}`;
}

function pageItem(page: string | undefined): string[] {
  return page === undefined ? [] : [`- ${link("Details", page)}`];
}

function fitting(sections: readonly string[], max: number): string[] {
  const kept: string[] = [];
  let left = max;
  for (const section of sections) {
    left -= section.length + 2;
    if (left < 0) break;
    kept.push(section);
  }
  return kept.length === sections.length ? kept : [...kept, "The rest is too long to show here."];
}

/** Renders a link, or only its text if the URL is not HTTP or HTTPS. */
function link(text: string, url: string): string {
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return text;
  const target = parsed.href.replaceAll(/[^\w:/?#@!$+,;=.~%-]/g, (character) =>
    character === "&" ? "&amp;" : encodeURIComponent(character).replaceAll(/[()'*]/g, percent),
  );
  return `[${text}](${target})`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
