import { printable, withoutCommands } from "../../../core/base/text/quote.ts";
import { fitting, plainWords } from "./chat-text.ts";
import { type Fact, type Message, type MessageMirror, mirrorFacts, outline } from "./message.ts";

/** GitHub accepts up to 65,536 characters in an issue or a comment. */
const maxBytes = 60_000;

const maxCodeLength = 3000;

/**
 * Renders a message as GitHub Flavored Markdown. Any of its text may come from mirrors.json, so all but plain words
 * become code. Inside code, none of these has an effect: Markdown, HTML, mentions, issue references and links.
 */
export function renderMarkdown(message: Message): string {
  const { reason, leave, feed } = message;
  const parts = outline(message, {
    text: markdownText,
    facts: ({ evidence, page }) => listOf(evidence, page),
    mirror: mirrorPart,
  });
  const end = ["---", `${markdownText(reason)} ${markdownText(leave)}`];
  if (feed.url !== undefined) end.push(link("All mirrors", feed.url));
  return [...fitting(parts.flat(), maxBytes, "The rest is too long to show here."), ...end].join("\n\n");
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

function mirrorPart(mirror: MessageMirror): string {
  const { name, page, command } = mirror;
  const facts = `${listOf(mirrorFacts(mirror), page)}\n- To probe it again: ${markdownCode(command)}`;
  return `**Mirror** ${markdownCode(name)}\n\n${facts}`;
}

function listOf(facts: readonly Fact[], page: string | undefined): string {
  const items = facts.map(({ name, value }) => `- ${markdownText(name)}: ${markdownText(value)}`);
  return [...items, ...(page === undefined ? [] : [`- ${link("Details", page)}`])].join("\n");
}

function link(text: string, url: string): string {
  const target = new URL(url).href.replaceAll(/[^\w:/?#@!$+,;=.~%-]/g, (character) =>
    character === "&" ? "&amp;" : encodeURIComponent(character),
  );
  return `[${text}](<${target}>)`;
}
