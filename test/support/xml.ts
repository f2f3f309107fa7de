import { parseXml as parse, XmlElement } from "@rgrove/parse-xml";

/** Returns the root element. Throws if the document is not well formed. */
export function parseXml(text: string): XmlElement {
  const { root } = parse(text);
  if (root === null) throw new Error("a document without a root");
  return root;
}

export function elementsOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement).filter((child) => child.name === name);
}
