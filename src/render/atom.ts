/** What an Atom feed holds. Every text is plain: a reader shows it as it is. */
export interface AtomFeed {
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updated: string;
  readonly author: string;
  /** The addresses of the page that shows the same, and of the feed itself, if they are known. */
  readonly alternate: string | undefined;
  readonly self: string | undefined;
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  /** When it happened (ISO 8601): an entry never changes. */
  readonly at: string;
  readonly text: string;
}

/**
 * Returns the Atom document (RFC 4287) of a feed. Libraries write titles as HTML, which feed readers that take a title
 * for plain text show with its `&amp;`.
 */
export function atomDocument({ id, title, updated, author, alternate, self, entries }: AtomFeed): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${escaped(id)}</id>`,
    `  <title>${escaped(title)}</title>`,
    `  <updated>${updated}</updated>`,
    `  <author><name>${escaped(author)}</name></author>`,
    ...(alternate === undefined ? [] : [`  <link rel="alternate" href="${escaped(alternate)}"/>`]),
    ...(self === undefined ? [] : [`  <link rel="self" href="${escaped(self)}"/>`]),
    ...entries.flatMap(entryLines),
    "</feed>",
  ];
  return `${lines.join("\n")}\n`;
}

function entryLines({ id, title, link, at, text }: AtomEntry): string[] {
  return [
    "  <entry>",
    `    <id>${escaped(id)}</id>`,
    `    <title>${escaped(title)}</title>`,
    `    <link href="${escaped(link)}"/>`,
    `    <updated>${at}</updated>`,
    `    <published>${at}</published>`,
    `    <content>${escaped(text)}</content>`,
    "  </entry>",
  ];
}

/** A text as it stands in XML, in an element or in an attribute. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
