import { escapeXml } from "../../../core/base/text/quote.ts";
import type { Fact, Message, MessageMirror } from "./message.ts";
import { outline, ownPage } from "./message-outline.ts";

// These colours must be readable both on white and on black, because the mail client chooses the background.
const quiet = "color:#808080";
const box = "border-left:3px solid #808080;margin:16px 0;padding:0 0 0 12px";
const code = "font-family:monospace;overflow-wrap:anywhere";

/** Renders a message as an HTML document that loads nothing: no scripts, images or stylesheets. */
export function renderHtml({ title, reason, leave, feed, ...message }: Message): string {
  const { parts, more } = outline(message, {
    heading: (text) => `<h2 style="font-size:17px">${inline(text)}</h2>`,
    text: paragraph,
    facts: (event) => factList(event.evidence) + pageLink(ownPage(event)),
    mirror: mirrorPart,
  });
  const body = [
    `<h1 style="font-size:20px">${inline(title)}</h1>`,
    ...parts.flat(),
    ...(more === "" ? [] : [paragraph(`${more}.`)]),
    `<p>${feed.url === undefined ? inline(feed.title) : link(feed.url, feed.title)}</p>`,
    `<p style="font-size:13px;${quiet}">${inline(reason)} ${inline(leave)}</p>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
</head>
<body style="font:15px/1.5 sans-serif;max-width:640px">
${body.join("\n")}
</body>
</html>
`;
}

function paragraph(text: string): string {
  return `<p>${inline(text)}</p>`;
}

function pageLink(page: string | undefined): string {
  return page === undefined ? "" : `<p>${link(page, page)}</p>`;
}

function mirrorPart({ name, url, place, page, evidence, command }: MessageMirror): string {
  return [
    `<div style="${box}">`,
    `<p><b>${page === undefined ? inline(name) : link(page, name)}</b><br>`,
    `${link(url, url)}<br><span style="${quiet}">${inline(place)}</span></p>`,
    factList(evidence),
    `<p>To probe it again:<br><code style="${code}">${escapeXml(command)}</code></p>`,
    "</div>",
  ].join("\n");
}

function factList(facts: readonly Fact[]): string {
  if (facts.length === 0) return "";
  const lines = facts.map(
    ({ name, value }) => `<span style="${quiet}">${inline(name)}:</span> ${inline(value)}`,
  );
  return `<p>${lines.join("<br>\n")}</p>`;
}

/** `<bdi>` keeps right-to-left text from reordering the text around it. */
function inline(text: string): string {
  return `<bdi>${escapeXml(text)}</bdi>`;
}

function link(url: string, text: string): string {
  return `<a href="${escapeXml(url)}" style="overflow-wrap:anywhere">${inline(text)}</a>`;
}
