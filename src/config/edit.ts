import {
  applyEdits,
  findNodeAtLocation,
  format,
  type FormattingOptions,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from "jsonc-parser";

/**
 * Returns a JSON text with items added at the end of an array that is not empty. They are written as the text is: on one line,
 * an item a line, or a property a line. Throws Error if there is no such array.
 */
export function appendItems(text: string, path: JSONPath, items: readonly unknown[]): string {
  const last = itemsOf(text, path).at(-1);
  if (last === undefined) throw new Error(`There is no item at ${path.join("/")}.`);
  // modify would also format the item before, and parse the whole text for each item.
  const gap = /\s*$/.exec(text.slice(0, last.offset))?.[0] ?? "";
  const content = items.map((item) => `,${gap}${JSON.stringify(item)}`).join("");
  const offset = last.offset + last.length;
  const edited = applyEdits(text, [{ offset, length: 0, content }]);
  const formattingOptions = formattingOf(text);
  if (formattingOptions === undefined) return edited;
  const keepLines = !text.slice(last.offset, offset).includes("\n");
  const range = { offset, length: content.length };
  return applyEdits(edited, format(edited, range, { ...formattingOptions, keepLines }));
}

/** Returns a JSON text in which a path has this value. A new property comes after the property `after`. */
export function setValue(text: string, path: JSONPath, value: unknown, after = ""): string {
  const formattingOptions = formattingOf(text);
  const options = {
    ...(formattingOptions && { formattingOptions }),
    getInsertionIndex: (names: string[]) => names.indexOf(after) + 1,
  };
  return applyEdits(text, modify(text, path, value, options));
}

/** Returns a JSON text without some items of an array, but not all of them. */
export function removeItems(text: string, path: JSONPath, indexes: ReadonlySet<number>): string {
  const kept = itemsOf(text, path).filter((_, index) => !indexes.has(index));
  // Not item by item: modify leaves `[12]` of `[1,2]` without the last.
  return setValue(
    text,
    path,
    kept.map((item): unknown => getNodeValue(item)),
  );
}

/** Returns the indentation and the line ends of a text, or undefined if all of it is on one line. */
function formattingOf(text: string): FormattingOptions | undefined {
  const [, lineEnd, indentation = "  "] = /(\r?\n)([ \t]+)?\S/.exec(text) ?? [];
  if (lineEnd === undefined) return undefined;
  const insertSpaces = !indentation.startsWith("\t");
  return { insertSpaces, tabSize: insertSpaces ? indentation.length : 1, eol: lineEnd };
}

function itemsOf(text: string, path: JSONPath): Node[] {
  const root = parseTree(text);
  return (root && findNodeAtLocation(root, path)?.children) ?? [];
}
