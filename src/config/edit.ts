import { applyEdits, type Edit, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { JsonPath } from "./json.ts";
import { isObject } from "./outline.ts";

/** Appends items to an array that is not empty. */
export interface Append {
  readonly kind: "append";
  readonly path: JsonPath;
  readonly items: readonly unknown[];
}

/** Sets a property of an object: replaces its value, or adds it after the property `after`. */
export interface SetProperty {
  readonly kind: "set";
  readonly path: JsonPath;
  readonly key: string;
  readonly value: number;
  readonly after: string;
}

/** Removes items of an array, but not all of them. */
export interface Remove {
  readonly kind: "remove";
  readonly path: JsonPath;
  readonly indexes: ReadonlySet<number>;
}

/** A JSON text with its parsed tree. */
interface Tree {
  readonly text: string;
  readonly root: Node;
}

/** The white space, commas and colons of one object or array in the text. */
interface Spacing {
  readonly open: string;
  readonly colon: string;
  readonly separator: string;
  readonly close: string;
}

/**
 * Returns a JSON text with these changes and every other character unchanged. New values have the white space of their
 * neighbours. Throws Error if the text is not JSON or a path does not exist: the caller has checked both.
 */
export function editJson(text: string, changes: readonly (Append | SetProperty | Remove)[]): string {
  const root = parseTree(text);
  if (root === undefined) throw new Error("The text to edit is not JSON.");
  const tree = { text, root };
  return applyEdits(
    text,
    changes.flatMap((change) => {
      if (change.kind === "remove") return remove(tree, change);
      return [change.kind === "append" ? append(tree, change) : setProperty(tree, change)];
    }),
  );
}

function append(tree: Tree, { path, items }: Append): Edit {
  const array = nodeAt(tree, path);
  const last = lastChild(array);
  const { separator } = spacingOf(array, tree.text);
  const added = items.map((item) => `${separator}${formatLike(item, last, tree.text)}`);
  return { offset: endOf(last), length: 0, content: added.join("") };
}

/** Returns an edit for each item: up to the next one, or at the end of the array from the last one that stays. */
function remove(tree: Tree, { path, indexes }: Remove): Edit[] {
  const items = nodeAt(tree, path).children ?? [];
  const last = items.findLastIndex((_, index) => !indexes.has(index));
  const lastKept = items[last];
  if (lastKept === undefined) throw new Error("No item would be left.");
  const edits = items.slice(0, last).flatMap((item, index) => {
    const length = (items[index + 1]?.offset ?? 0) - item.offset;
    return indexes.has(index) ? [{ offset: item.offset, length, content: "" }] : [];
  });
  const end = endOf(lastKept);
  const length = endOf(items.at(-1) ?? lastKept) - end;
  return length === 0 ? edits : [...edits, { offset: end, length, content: "" }];
}

function setProperty(tree: Tree, { path, key, value, after }: SetProperty): Edit {
  const present = findNodeAtLocation(tree.root, [...path, key]);
  if (present !== undefined)
    return { offset: present.offset, length: present.length, content: JSON.stringify(value) };
  const { separator, colon } = spacingOf(nodeAt(tree, path), tree.text);
  const before = nodeAt(tree, [...path, after]);
  return { offset: endOf(before), length: 0, content: `${separator}${JSON.stringify(key)}${colon}${value}` };
}

/** Returns a value as JSON with the white space of the model, level by level. */
function formatLike(value: unknown, model: Node | undefined, text: string): string {
  if (Array.isArray(value) && model?.type === "array") {
    const { open, separator, close } = spacingOf(model, text);
    const items = value.map((item: unknown) => formatLike(item, lastChild(model), text));
    return `[${open}${items.join(separator)}${close}]`;
  }
  if (isObject(value) && model?.type === "object") {
    const { open, colon, separator, close } = spacingOf(model, text);
    const members = Object.entries(value).map(([key, member]) => {
      const formatted = formatLike(member, findNodeAtLocation(model, [key]), text);
      return `${JSON.stringify(key)}${colon}${formatted}`;
    });
    return `{${open}${members.join(separator)}${close}}`;
  }
  return JSON.stringify(value);
}

function spacingOf(node: Node, text: string): Spacing {
  const children = node.children ?? [];
  const last = lastChild(node);
  const before = children.at(-2);
  const open = text.slice(node.offset + 1, children[0]?.offset);
  const close = text.slice(endOf(last), endOf(node) - 1);
  const colon = colonOf(last, text);
  const separator =
    before === undefined ? guessSeparator(open, colon) : text.slice(endOf(before), last.offset);
  return { open, colon, separator, close };
}

/** Returns the separator for a list with a single item: a new line if the item has one, a space if colons have one. */
function guessSeparator(open: string, colon: string): string {
  if (/[\r\n]/.test(open)) return `,${open}`;
  return /\s$/.test(colon) ? ", " : ",";
}

/** Returns the text between name and value, in a property or in the first property of an object. */
function colonOf(node: Node, text: string): string {
  const property = node.type === "property" ? node : node.children?.[0];
  const [name, value] = property?.children ?? [];
  return name === undefined || value === undefined ? ":" : text.slice(endOf(name), value.offset);
}

function lastChild(node: Node): Node {
  const last = node.children?.at(-1);
  if (last === undefined) throw new Error(`The ${node.type} at ${node.offset} is empty.`);
  return last;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function nodeAt({ root }: Tree, path: JsonPath): Node {
  const node = findNodeAtLocation(root, [...path]);
  if (node === undefined) throw new Error(`There is no value at ${path.join("/")}.`);
  return node;
}
