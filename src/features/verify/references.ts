export type Use = "stylesheet" | "script" | "image" | "page" | "link";

/** A URL as written in a page or a stylesheet. */
export interface Reference {
  readonly use: Use;
  readonly href: string;
}

/**
 * Matches the start of a comment, or a whole tag. After its first character, a match contains no `<`, so matching takes
 * linear time.
 */
const commentOrTag = /(<!--)|<(\/?[a-z][^\s/<>]{0,30})((?:[^<>"']|"[^"<]*"|'[^'<]*'){0,16384})>/gi;

/** A name begins only after whitespace, a quote or a slash, so that a long name is scanned only once. */
const attribute = /(?<=[\s"'/])([^\s"'=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/** Elements whose text contains no tags. */
const rawText = ["script", "style", "textarea", "title"];

/** Returns the URLs that a page loads or links to, in linear time for any input. */
export function pageReferences(html: string): Reference[] {
  const references: Reference[] = [];
  let skippedTo = 0;
  let end: string | undefined;
  for (const { index, 1: comment, 2: tag = "", 3: rest = "" } of html.matchAll(commentOrTag)) {
    const name = tag.toLowerCase();
    if (index < skippedTo || (end !== undefined && name !== end)) continue;
    end = rawText.includes(name) ? `/${name}` : undefined;
    if (comment === undefined) references.push(...tagReferences(name, attributesOf(rest)));
    else skippedTo = endOfComment(html, index);
  }
  return references;
}

function endOfComment(html: string, from: number): number {
  const at = html.indexOf("-->", from);
  return at < 0 ? html.length : at;
}

export function stylesheetReferences(css: string): Reference[] {
  const found = css.matchAll(/@import\s+["']([^"'\\\n]+)["']|url\(\s*["']?([^()"'\\\s]+)["']?\s*\)/g);
  return [...found].map(([, sheet, file = ""]) =>
    sheet === undefined ? { use: "link", href: file } : { use: "stylesheet", href: sheet },
  );
}

function tagReferences(name: string, attributes: ReadonlyMap<string, string>): Reference[] {
  const use = useOf(name, attributes.get("rel") ?? "");
  const href = attributes.get(["a", "area", "link"].includes(name) ? "href" : "src");
  // On a status page, this attribute has the URL of the overview that the page's script fetches.
  const overview = attributes.get("data-overview");
  return [
    ...(use === undefined || href === undefined ? [] : [{ use, href }]),
    ...(overview === undefined ? [] : [{ use: "page" as const, href: overview }]),
  ];
}

function useOf(name: string, rel: string): Use | undefined {
  if (name === "script") return "script";
  if (name === "img") return "image";
  if (["a", "area", "audio", "embed", "iframe", "source", "video"].includes(name)) return "link";
  if (name !== "link") return undefined;
  const words = rel.toLowerCase().split(/\s+/);
  if (words.includes("stylesheet")) return "stylesheet";
  if (words.includes("icon") || words.includes("apple-touch-icon")) return "image";
  return words.includes("preconnect") || words.includes("dns-prefetch") ? undefined : "link";
}

function attributesOf(tag: string): Map<string, string> {
  return new Map(
    [...tag.matchAll(attribute)].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? "").trim(),
    ]),
  );
}

const entities = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" }),
);

/** Decodes the common entities. */
function decoded(value: string): string {
  return value.replaceAll(/&(#?\w{2,4});/g, (entity, name: string) => entities.get(name) ?? entity);
}
