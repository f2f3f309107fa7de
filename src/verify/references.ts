/** How a page uses a URL. */
export type Use = "stylesheet" | "script" | "image" | "page" | "link";

/** A URL as it is written in a page or a stylesheet. */
export interface Reference {
  readonly use: Use;
  readonly href: string;
}

/** A longer tag is skipped: no page needs one. */
const maxTag = 16_384;

/** The elements whose text holds no tags. */
const rawText = new Set(["script", "style", "textarea", "title"]);

/**
 * Returns the URLs that a page loads or links to. It reads only tags, in linear time for any input. An unclosed tag
 * ends it.
 */
export function pageReferences(html: string): Reference[] {
  // Of the same length, unlike toLowerCase().
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const after = (ending: string, from: number): number => {
    const at = lower.indexOf(ending, from);
    return at < 0 ? html.length : at + ending.length;
  };
  const references: Reference[] = [];
  let at = html.indexOf("<");
  while (at >= 0) {
    let end = at + 1;
    if (html.startsWith("<!--", at)) {
      end = after("-->", at);
    } else if (/[a-z]/.test(lower[at + 1] ?? "")) {
      end = tagEnd(html, at);
      const tag = html.slice(at + 1, end - 1);
      const name = /^[^\s/]*/.exec(lower.slice(at + 1, Math.min(end - 1, at + 33)))?.[0] ?? "";
      if (tag.length <= maxTag) references.push(...tagReferences(name, attributesOf(tag)));
      if (rawText.has(name)) end = after(`</${name}`, end);
    }
    at = html.indexOf("<", end);
  }
  return references;
}

/** Returns the URLs that a stylesheet loads. */
export function stylesheetReferences(css: string): Reference[] {
  const found = css.matchAll(/@import\s+["']([^"'\\\n]+)["']|url\(\s*["']?([^()"'\\\s]+)["']?\s*\)/g);
  return [...found].map(([, sheet, file = ""]) =>
    sheet === undefined ? { use: "link", href: file } : { use: "stylesheet", href: sheet },
  );
}

function tagReferences(name: string, attributes: ReadonlyMap<string, string>): Reference[] {
  const use = useOf(name, attributes.get("rel") ?? "");
  const href = attributes.get(["a", "area", "link"].includes(name) ? "href" : "src");
  // The script of a status page fetches the overview.
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
  // A name begins only after a blank, a quote or a slash, so that a long one is scanned once.
  const found = tag.matchAll(/(?<=[\s"'/])([^\s"'=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g);
  return new Map(
    [...found].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? "").trim(),
    ]),
  );
}

const entities = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" }),
);

/** Returns a value with the common entities decoded. */
function decoded(value: string): string {
  return value.replaceAll(/&(#?\w{2,4});/g, (entity, name: string) => entities.get(name) ?? entity);
}

/** Returns the index after a tag. A > in quotes does not end it. */
function tagEnd(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at += 1) {
    const character = html[at] ?? "";
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return html.length + 1;
}
