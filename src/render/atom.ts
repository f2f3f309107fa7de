import { escapeXml } from "../text/xml.ts";

/** The content of an Atom feed. All texts are plain text, not HTML. */
export interface AtomFeed {
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updated: string;
  readonly author: string;
  /** The URLs of the page with the same content, and of the feed itself, if known. */
  readonly alternate: string | undefined;
  readonly self: string | undefined;
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  /** The time of the event (ISO 8601). An entry never changes. */
  readonly at: string;
  readonly text: string;
  readonly category?: string | undefined;
}

/**
 * Returns the Atom document (RFC 4287) of a feed. Libraries write titles as HTML, and feed readers that expect plain text then
 * show `&amp;`.
 */
export function atomDocument({ id, title, updated, author, alternate, self, entries }: AtomFeed): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${escapeXml(id)}</id>`,
    `  <title>${escapeXml(title)}</title>`,
    `  <updated>${updated}</updated>`,
    `  <author><name>${escapeXml(author)}</name></author>`,
    ...(alternate === undefined ? [] : [`  <link rel="alternate" href="${escapeXml(alternate)}"/>`]),
    ...(self === undefined ? [] : [`  <link rel="self" href="${escapeXml(self)}"/>`]),
    ...entries.flatMap(entryLines),
    "</feed>",
  ];
  return `${lines.join("\n")}\n`;
}

function entryLines({ id, title, link, at, text, category }: AtomEntry): string[] {
  return [
    "  <entry>",
    `    <id>${escapeXml(id)}</id>`,
    `    <title>${escapeXml(title)}</title>`,
    `    <link href="${escapeXml(link)}"/>`,
    `    <updated>${at}</updated>`,
    `    <published>${at}</published>`,
    ...(category === undefined ? [] : [`    <category term="${escapeXml(category)}"/>`]),
    `    <content>${escapeXml(text)}</content>`,
    "  </entry>",
  ];
}
