import { elementsOf, parseXml, textOf, unescaped, type XmlElement } from "./xml.ts";

export interface AtomFeed {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly author: string;
  /** The href of each link, by its rel. */
  readonly links: Readonly<Record<string, string>>;
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly published: string;
  readonly link: string;
  readonly content: string;
  readonly categories: readonly string[];
}

/** The elements of RFC 4287 that mirrorfeed uses in a feed and in an entry. */
const inFeed = new Set(["id", "title", "updated", "author", "link", "entry"]);
const inEntry = new Set(["id", "title", "updated", "published", "link", "content", "category"]);

const date = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses an Atom feed. Throws if the text breaks a MUST of RFC 4287. */
export function parseAtom(text: string): AtomFeed {
  const feed = parseXml(text);
  // Section 4.1.1, with the author that section 4.1.2 requires if entries have none.
  if (feed.name !== "feed" || feed.attributes["xmlns"] !== "http://www.w3.org/2005/Atom")
    throw new Error("not a feed in the namespace of Atom");
  onlyHas(feed, inFeed);
  const entries = elementsOf(feed, "entry").map(parseEntry);
  const ids = entries.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new Error("two entries have the same id");
  const author = one(feed, "author");
  onlyHas(author, new Set(["name"]));
  const links = elementsOf(feed, "link").map(({ attributes }) => [
    attributes["rel"] ?? "alternate",
    address(attributes["href"]),
  ]);
  if (new Set(links.map(([rel]) => rel)).size < links.length) throw new Error("two links of one rel");
  return {
    id: iri(textOf(one(feed, "id"))),
    title: construct(one(feed, "title")),
    updated: timestamp(one(feed, "updated")),
    author: notEmpty(textOf(one(author, "name"))),
    links: Object.fromEntries(links),
    entries,
  };
}

function parseEntry(entry: XmlElement): AtomEntry {
  onlyHas(entry, inEntry);
  const { attributes } = one(entry, "link");
  if ((attributes["rel"] ?? "alternate") !== "alternate")
    throw new Error("the link of an entry is not an alternate link");
  return {
    id: iri(textOf(one(entry, "id"))),
    title: construct(one(entry, "title")),
    updated: timestamp(one(entry, "updated")),
    published: timestamp(one(entry, "published")),
    link: address(attributes["href"]),
    content: construct(one(entry, "content")),
    categories: elementsOf(entry, "category").map((category) => notEmpty(category.attributes["term"] ?? "")),
  };
}

/** Returns the plain text of a text construct (section 3.1). Throws if its HTML has elements. */
function construct(element: XmlElement): string {
  const text = notEmpty(textOf(element));
  switch (element.attributes["type"] ?? "text") {
    case "text":
      return text;
    case "html":
      if (/[<>]/.test(text)) throw new Error(`an element in the HTML ${text}`);
      return unescaped(text);
    default:
      throw new Error("a text of another type");
  }
}

function one(element: XmlElement, name: string): XmlElement {
  const [found, ...others] = elementsOf(element, name);
  if (found === undefined || others.length > 0) throw new Error(`not one ${name} in ${element.name}`);
  return found;
}

function onlyHas({ name, children }: XmlElement, allowed: ReadonlySet<string>): void {
  for (const child of children) {
    if (typeof child === "string" ? child.trim() !== "" : !allowed.has(child.name))
      throw new Error(`${name} has ${typeof child === "string" ? child : child.name}`);
  }
}

/** Returns the timestamp of a date construct (section 3.3). Throws if it is invalid. */
function timestamp(element: XmlElement): string {
  const text = textOf(element);
  if (!date.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(`${text} is not a date of RFC 3339`);
  return text;
}

function iri(text: string): string {
  if (!URL.canParse(text) || new URL(text).href !== text) throw new Error(`${text} is not a normalized IRI`);
  return text;
}

function address(href: string | undefined): string {
  if (href === undefined || !/^https?:$/.test(new URL(href).protocol)) throw new Error("a link to nowhere");
  return href;
}

function notEmpty(text: string): string {
  if (text.trim() === "") throw new Error("an empty text");
  return text;
}
