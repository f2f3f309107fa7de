import { parseXml, XmlElement, XmlText } from "@rgrove/parse-xml";

export type { XmlElement } from "@rgrove/parse-xml";

/** Returns the root of a well-formed document, or undefined. Callers limit the length of `text`. */
export function parseXmlRoot(text: string): XmlElement | undefined {
  try {
    // The library normalizes line ends (XML 1.0, 2.11) in quadratic time.
    return parseXml(text.replaceAll(/\r\n?/g, "\n")).root ?? undefined;
  } catch {
    // XmlError if the text is not well-formed, RangeError if it is nested too deeply for the stack.
    return undefined;
  }
}

export function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement).filter((child) => child.name === name);
}

/** Leaves out the text of nested elements, which the library reads by unbounded recursion. */
export function ownText({ children }: XmlElement): string {
  const texts = children.filter((child) => child instanceof XmlText).map(({ text }) => text);
  return texts.join("").trim();
}

export function textOf(parent: XmlElement, name: string): string | undefined {
  const [element] = childrenOf(parent, name);
  return element && ownText(element);
}
