import { chatLine, chatLines } from "./chat-text.ts";
import type { Message } from "./message.ts";
import { plainWords } from "./plain-words.ts";

/** Slack advises up to 4,000 characters. */
const maxBytes = 3500;

/**
 * Returns the body of a message for an incoming webhook of Slack, or of a chat that takes the same body: a text in mrkdwn
 * (https://api.slack.com/reference/surfaces/formatting).
 */
export function slackBody(message: Message): object {
  const lines = [`*${slackText(message.title)}*`, ...chatLines(message, { text: slackText, link }, maxBytes)];
  return { text: lines.join("\n"), unfurl_links: false, unfurl_media: false };
}

/** Returns untrusted text in mrkdwn: what is not a plain word is code, without markup and mentions. */
function slackText(text: string): string {
  return plainWords(chatLine(text), (word) => {
    // Mattermost and Discord look for @everyone in such bodies too. The joiner is invisible, and ends the name.
    const shown = word.replaceAll("`", "'").replaceAll("@", "@\u2060");
    return `\`${escapeSlack(shown)}\``;
  });
}

function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function link(label: string, url: string): string {
  const target = url.replaceAll("|", "%7C").replaceAll("@", "%40").replaceAll(/\s/g, "%20");
  return /^https?:/.test(url) ? `<${escapeSlack(target)}|${label}>` : label;
}
