import { applyEdits, type Edit, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { JsonPath } from "./json.ts";
import { isObject } from "./outline.ts";

/** Items at the end of an array, which has some already. */
export interface Append {
  readonly kind: "append";
  readonly path: JsonPath;
  readonly items: readonly unknown[];
}

/** A property of an object: in place of the value it has, or new and after the one that is named. */
export interface SetProperty {
  readonly kind: "set";
  readonly path: JsonPath;
  readonly key: string;
  readonly value: number;
  readonly after: string;
}

/** A text of JSON with its tree. */
interface Tree {
  readonly text: string;
  readonly root: Node;
}

/** The white space, commas and colons of one object or array, as they stand in the text. */
interface Spacing {
  readonly open: string;
  readonly colon: string;
  readonly separator: string;
  readonly close: string;
}

/**
 * A text of JSON with these changes, and every other character as it was: what is new is written as its neighbours
 * are. Throws Error where the text is no JSON or a path leads nowhere: both are checked before.
 */
export function editJson(text: string, changes: readonly (Append | SetProperty)[]): string {
  const root = parseTree(text);
  if (root === undefined) throw new Error("There is no JSON to edit.");
  const tree = { text, root };
  return applyEdits(
    text,
    changes.map((change) => (change.kind === "append" ? append(tree, change) : setProperty(tree, change))),
  );
}

function append(tree: Tree, { path, items }: Append): Edit {
  const array = nodeAt(tree, path);
  const last = lastChild(array);
  const { separator } = spacingOf(array, tree.text);
  const written = items.map((item) => `${separator}${imitate(item, last, tree.text)}`);
  return { offset: endOf(last), length: 0, content: written.join("") };
}

function setProperty(tree: Tree, { path, key, value, after }: SetProperty): Edit {
  const present = findNodeAtLocation(tree.root, [...path, key]);
  if (present !== undefined)
    return { offset: present.offset, length: present.length, content: JSON.stringify(value) };
  const { separator, colon } = spacingOf(nodeAt(tree, path), tree.text);
  const before = nodeAt(tree, [...path, after]);
  return { offset: endOf(before), length: 0, content: `${separator}${JSON.stringify(key)}${colon}${value}` };
}

/** A value as JSON, spaced as the model is: objects as its objects, arrays as its arrays, level by level. */
function imitate(value: unknown, model: Node | undefined, text: string): string {
  if (Array.isArray(value) && model?.type === "array") {
    const { open, separator, close } = spacingOf(model, text);
    const items = value.map((item: unknown) => imitate(item, lastChild(model), text));
    return `[${open}${items.join(separator)}${close}]`;
  }
  if (isObject(value) && model?.type === "object") {
    const { open, colon, separator, close } = spacingOf(model, text);
    const members = Object.entries(value).map(([key, member]) => {
      const written = imitate(member, findNodeAtLocation(model, [key]), text);
      return `${JSON.stringify(key)}${colon}${written}`;
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
  const separator = before === undefined ? onlyComma(open, colon) : text.slice(endOf(before), last.offset);
  return { open, colon, separator, close };
}

/** Where a single item shows no separator: on a new line if it is on one itself, else with a space if colons have one. */
function onlyComma(open: string, colon: string): string {
  if (/[\r\n]/.test(open)) return `,${open}`;
  return /\s$/.test(colon) ? ", " : ",";
}

/** What stands between name and value, in a property or in the first one of an object. */
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
  if (node === undefined) throw new Error(`There is nothing at ${path.join("/")}.`);
  return node;
}
