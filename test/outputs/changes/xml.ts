/** An XML element: its name, its attributes, and the elements and texts in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

const name = "[A-Za-z_][A-Za-z0-9_.:-]*";
const token = new RegExp(
  [
    String.raw`<!\[CDATA\[(?<cdata>[^]*?)\]\]>`,
    `</(?<closed>${name})>`,
    String.raw`<(?<opened>${name})(?<attributes>(?: ${name}="[^"<]*")*) ?(?<empty>/?)>`,
    `(?<text>[^<]+)`,
  ].join("|"),
  "y",
);
const entities = new Map([
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
  ["&quot;", '"'],
  ["&apos;", "'"],
]);
/** A character that the production Char of XML 1.0 excludes. */
const noCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * Returns the root of an XML document. Supports elements, attributes, texts, CDATA and the five entities. Throws on all other
 * parts of XML 1.0, and if the document is not well formed.
 */
export function parseXml(document: string): XmlElement {
  if (noCharacter.test(document)) throw new Error("a character that XML does not have");
  const text = document.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\n/, "").trim();
  const top: { children: (XmlElement | string)[]; name: string }[] = [{ name: "", children: [] }];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const { groups } = token.exec(text) ?? {};
    const open = top.at(-1);
    if (groups === undefined || open === undefined)
      throw new Error(`not XML from ${text.slice(at, at + 80)}`);
    if (groups["cdata"] !== undefined) {
      addText(open.children, groups["cdata"]);
    } else if (groups["text"] !== undefined) {
      if (groups["text"].includes("]]>")) throw new Error("]]> in a text");
      addText(open.children, unescaped(groups["text"]));
    } else if (groups["closed"] !== undefined) {
      if (groups["closed"] !== open.name) throw new Error(`${groups["closed"]} closes ${open.name}`);
      top.pop();
    } else {
      const element = {
        name: groups["opened"] ?? "",
        attributes: attributesOf(groups["attributes"] ?? ""),
        children: [],
      };
      open.children.push(element);
      if (groups["empty"] === "") top.push(element);
    }
  }
  const [root, ...others] = top[0]?.children ?? [];
  if (top.length !== 1 || others.length > 0 || typeof root !== "object")
    throw new Error("not one whole element");
  return root;
}

/** Returns the child elements with a name. */
export function elementsOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => typeof child === "object").filter((child) => child.name === name);
}

/** Returns the text of an element. Throws if it contains elements. */
export function textOf({ name, children }: XmlElement): string {
  const texts = children.filter((child) => typeof child === "string");
  if (texts.length < children.length) throw new Error(`${name} has elements in it`);
  return texts.join("");
}

/** Returns a text with the five entities replaced by their characters. Throws if an `&` starts another one. */
export function unescaped(text: string): string {
  return text.replaceAll(/&[^;]*;?/g, (entity) => {
    const character = entities.get(entity);
    if (character === undefined) throw new Error(`${entity} is not an entity`);
    return character;
  });
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ (?<key>[^=]+)="(?<value>[^"]*)"/g)].map(
    ({ groups }) => [groups?.["key"] ?? "", unescaped(groups?.["value"] ?? "")] as const,
  );
  if (new Set(pairs.map(([key]) => key)).size < pairs.length)
    throw new Error(`an attribute twice in ${text}`);
  return Object.fromEntries(pairs);
}

function addText(children: (XmlElement | string)[], text: string): void {
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + text;
  else if (text !== "") children.push(text);
}
