import { createHmac } from "node:crypto";
import { unescape } from "node:querystring";
import { channelTypes } from "../../../core/config/channels.ts";
import { ask, channelOf, DeliveryFailure, readUrl } from "./channel.ts";
import { chatLine, chatLines, plainWords } from "./chat-text.ts";
import { type Message, webhookDocument } from "./message.ts";

/** How much of the answer to read. Only its status matters. */
const maxAnswerBytes = 64 * 1024;

export const webhook = channelOf(channelTypes.webhook.options, (options, { secret, allowPrivate }) => {
  const { urlEnv, secretEnv, body: format } = options;
  const given = readUrl(urlEnv, secret(urlEnv), allowPrivate);
  if (format === "ntfy") topicOf(given);
  const key = secretEnv === undefined ? undefined : readKey(secretEnv, secret(secretEnv));
  return async (message, context) => {
    const { url, body: document } =
      format === "ntfy"
        ? ntfyRequest(message, given)
        : { url: given, body: format === "slack" ? slackBody(message) : webhookDocument(message) };
    const body = JSON.stringify(document);
    const headers = ["content-type", "application/json", "idempotency-key", message.id];
    const { username, password } = given;
    if (username !== "" || password !== "") {
      const credentials = Buffer.from(`${unescape(username)}:${unescape(password)}`);
      // RFC 7617
      headers.push("authorization", `Basic ${credentials.toString("base64")}`);
    }
    if (key !== undefined) headers.push(...signatureHeaders(message.id, context.now(), body, key));
    await ask(url, { method: "POST", headers, body, maxBytes: maxAnswerBytes }, context);
    return {};
  };
});

/** Reads the Standard Webhooks key that a variable holds. Throws DeliveryFailure if it is invalid. */
function readKey(name: string, value: string): Buffer {
  const [, base64 = ""] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(value.trim()) ?? [];
  const key = Buffer.from(base64, "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  throw new DeliveryFailure(
    `${name} does not hold a signing key; set it to whsec_ followed by 24 to 64 bytes in Base64, such as the output of "openssl rand -base64 32".`,
  );
}

/**
 * Returns the headers that identify and sign a body, with HMAC-SHA256 over id, timestamp and body. The format is
 * Standard Webhooks 1.0.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function signatureHeaders(id: string, atMs: number, body: string, key: Buffer): string[] {
  const timestamp = String(Math.floor(atMs / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return ["webhook-id", id, "webhook-timestamp", timestamp, "webhook-signature", `v1,${signature}`];
}

/** Slack recommends at most 4,000 characters. */
const maxSlackBytes = 3500;

/**
 * Returns the body for an incoming webhook of Slack or a compatible chat, with text in mrkdwn
 * (https://api.slack.com/reference/surfaces/formatting).
 */
export function slackBody(message: Message): object {
  const lines = chatLines(message, { text: slackText, link: slackLink }, maxSlackBytes);
  const text = [`*${slackText(message.title)}*`, ...lines].join("\n");
  return { text, unfurl_links: false, unfurl_media: false };
}

/** Renders untrusted text as mrkdwn. All but plain words become code, in which markup and mentions have no effect. */
function slackText(text: string): string {
  return plainWords(chatLine(text), (word) => {
    // Mattermost and Discord accept the same body, and look for @everyone in its text. An invisible word joiner breaks
    // up the mention.
    const shown = word.replaceAll("`", "'").replaceAll("@", "@\u2060");
    return `\`${escapeSlack(shown)}\``;
  });
}

function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function slackLink(label: string, url: string): string {
  const target = url.replaceAll("|", "%7C").replaceAll("@", "%40").replaceAll(/\s/g, "%20");
  return /^https?:/.test(url) ? `<${escapeSlack(target)}|${label}>` : label;
}

/** ntfy turns a message of more than 4,096 bytes into an attachment. */
const maxNtfyBytes = 3900;

/** Splits the path of an ntfy URL into the topic and the path above it. Throws DeliveryFailure if there is no topic. */
function topicOf({ pathname }: URL): { readonly above: string; readonly topic: string } {
  const [, above = "/", topic] = /^(.*\/)([-_A-Za-z0-9]{1,64})\/?$/.exec(pathname) ?? [];
  if (topic !== undefined) return { above, topic };
  throw new DeliveryFailure("Its URL must end with an ntfy topic, such as https://ntfy.sh/topic.");
}

/**
 * Returns the URL and body of a request to ntfy, which takes JSON at its root rather than at the topic
 * (https://docs.ntfy.sh/publish/#publish-as-json). Throws DeliveryFailure if `url` has no topic.
 */
export function ntfyRequest(message: Message, url: URL): { url: URL; body: object } {
  const { above, topic } = topicOf(url);
  const { title, events, feed } = message;
  const format = { text: chatLine, link: (label: string, page: string) => `${label}: ${chatLine(page)}` };
  const isBegin = events.some(({ phase }) => phase === "begin");
  const click = (events.length === 1 ? events[0]?.page : undefined) ?? feed.url;
  const body = {
    topic,
    title: chatLine(title, 200),
    message: chatLines(message, format, maxNtfyBytes).join("\n"),
    // The tag becomes an emoji. Priorities are 1 to 5, and 3 is the default.
    tags: [isBegin ? "rotating_light" : "white_check_mark"],
    priority: isBegin ? 4 : 3,
    ...(click !== undefined && /^https?:/.test(click) && { click }),
  };
  return { url: new URL(above, url), body };
}
