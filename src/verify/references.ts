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
  const references: Reference[] = [];
  let at = html.indexOf("<");
  while (at >= 0) {
    let end = at + 1;
    if (html.startsWith("<!--", at)) {
      end = after(html, "-->", at);
    } else if (/[a-z]/i.test(html[at + 1] ?? "")) {
      end = tagEnd(html, at);
      const tag = html.slice(at + 1, end - 1);
      const name = /^[^\s/]*/.exec(tag.slice(0, 32))?.[0].toLowerCase() ?? "";
      if (tag.length <= maxTag) references.push(...tagReferences(name, attributesOf(tag)));
      if (rawText.has(name)) end = after(html, `</${name}`, end);
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
  const { use, href } = referenceOf(name, attributes);
  const data = attributes.get("data-overview");
  return [
    ...(use === undefined || href === undefined ? [] : [{ use, href }]),
    // The script of a status page fetches the overview.
    ...(data === undefined ? [] : [{ use: "page" as const, href: data }]),
  ];
}

function referenceOf(
  name: string,
  attributes: ReadonlyMap<string, string>,
): { readonly use?: Use | undefined; readonly href?: string | undefined } {
  switch (name) {
    case "a":
    case "area":
      return { use: "link", href: attributes.get("href") };
    case "link":
      return { use: useOfRel(attributes.get("rel") ?? ""), href: attributes.get("href") };
    case "script":
      return { use: "script", href: attributes.get("src") };
    case "img":
      return { use: "image", href: attributes.get("src") };
    case "audio":
    case "embed":
    case "iframe":
    case "source":
    case "video":
      return { use: "link", href: attributes.get("src") };
    default:
      return {};
  }
}

function useOfRel(rel: string): Use | undefined {
  const words = rel.toLowerCase().split(/\s+/);
  if (words.includes("stylesheet")) return "stylesheet";
  if (words.some((word) => word === "icon" || word === "apple-touch-icon")) return "image";
  return words.some((word) => word === "preconnect" || word === "dns-prefetch") ? undefined : "link";
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

const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["#39", "'"],
  ["#x27", "'"],
]);

/** Returns a value with the common entities decoded. */
function decoded(value: string): string {
  return value.replaceAll(/&(#?\w{2,4});/g, (entity, name: string) => entities.get(name) ?? entity);
}

/** Returns the index after an ending, or the end of the page if it is missing. */
function after(html: string, ending: string, from: number): number {
  const lower = ending.toLowerCase();
  for (let at = html.indexOf(lower.slice(0, 2), from); at >= 0; at = html.indexOf(lower.slice(0, 2), at + 1))
    if (html.slice(at, at + ending.length).toLowerCase() === lower) return at + ending.length;
  return html.length;
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
