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
 * Appends items to a non-empty array in a JSON text. Follows the text's style: everything on one line, one item per
 * line, or one property per line. Throws Error if there is no such array.
 */
export function appendItems(text: string, path: JSONPath, items: readonly unknown[]): string {
  if (items.length === 0) return text;
  const last = itemsOf(text, path).at(-1);
  if (last === undefined) throw new Error(`There is no array with items at ${path.join("/")}.`);
  // The function `modify` of jsonc-parser would also reformat the last item, and would parse the whole text again for
  // each item.
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

/** Sets the value at a path in a JSON text. A new property is inserted after the property `after`. */
export function setValue(text: string, path: JSONPath, value: unknown, after = ""): string {
  const formattingOptions = formattingOf(text);
  const options = {
    ...(formattingOptions && { formattingOptions }),
    getInsertionIndex: (names: string[]) => names.indexOf(after) + 1,
  };
  return applyEdits(text, modify(text, path, value, options));
}

/** Removes items from an array in a JSON text. At least one item must remain. */
export function removeItems(text: string, path: JSONPath, indexes: ReadonlySet<number>): string {
  const kept = itemsOf(text, path).filter((_, index) => !indexes.has(index));
  // Sets the whole array, because removing the last item of `[1,2]` with modify gives `[12]`.
  return setValue(
    text,
    path,
    kept.map((item): unknown => getNodeValue(item)),
  );
}

/** Detects the indentation and line endings of a text. Returns undefined for a single line. */
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
