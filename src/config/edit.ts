import {
  applyEdits,
  findNodeAtLocation,
  format,
  type FormattingOptions,
  getNodeValue,
  modify,
  type Node,
  parseTree,
} from "jsonc-parser";
import type { JsonPath } from "./json.ts";

/**
 * Returns a JSON text with items added at the end of an array that is not empty. They are written as the text is: on one line,
 * an item a line, or a property a line. Throws Error if there is no such array.
 */
export function appendItems(text: string, path: JsonPath, items: readonly unknown[]): string {
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

/** Returns a JSON text in which a property has this value. If it is new, it comes after the property `after`. */
export function setProperty(text: string, path: JsonPath, value: number, after: string): string {
  return change(text, path, value, (names) => names.indexOf(after) + 1);
}

/** Returns a JSON text without some items of an array, but not all of them. */
export function removeItems(text: string, path: JsonPath, indexes: ReadonlySet<number>): string {
  const kept = itemsOf(text, path).filter((_, index) => !indexes.has(index));
  // Not item by item: modify leaves `[12]` of `[1,2]` without the last.
  return change(
    text,
    path,
    kept.map((item): unknown => getNodeValue(item)),
  );
}

function change(
  text: string,
  path: JsonPath,
  value: unknown,
  getInsertionIndex?: (names: string[]) => number,
): string {
  const formattingOptions = formattingOf(text);
  const options = {
    ...(formattingOptions && { formattingOptions }),
    ...(getInsertionIndex && { getInsertionIndex }),
  };
  return applyEdits(text, modify(text, [...path], value, options));
}

/** Returns the indentation and the line ends of a text, or undefined if all of it is on one line. */
function formattingOf(text: string): FormattingOptions | undefined {
  const [, lineEnd, indentation = "  "] = /(\r?\n)([ \t]+)?\S/.exec(text) ?? [];
  if (lineEnd === undefined) return undefined;
  const insertSpaces = !indentation.startsWith("\t");
  return { insertSpaces, tabSize: insertSpaces ? indentation.length : 1, eol: lineEnd };
}

function itemsOf(text: string, path: JsonPath): Node[] {
  const root = parseTree(text);
  return (root && findNodeAtLocation(root, [...path])?.children) ?? [];
}
