import type { JsonPath } from "./json-document.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The whole file, or a system, project, target or node in it. Nothing in it has been validated yet. */
export interface OutlineEntry {
  readonly level: "file" | "system" | "project" | "target" | "node";
  readonly path: JsonPath;
  readonly fields: Fields;
  /** Undefined if this entry is the whole file. */
  readonly parent: OutlineEntry | undefined;
  readonly children: readonly OutlineEntry[];
}

const below = {
  file: { list: "systems", level: "system" },
  system: { list: "projects", level: "project" },
  project: { list: "targets", level: "target" },
  target: { list: "network", level: "node" },
  node: undefined,
} as const;

/**
 * Returns the entries of any JSON value in file order, skipping malformed ones. Rules can therefore compare the entries
 * of a file that does not match the schema, and users see all problems at once.
 */
export function outline(value: unknown): OutlineEntry[] {
  return isObject(value) ? withDescendants(entryOf("file", [], value, undefined)) : [];
}

function entryOf(
  level: OutlineEntry["level"],
  path: JsonPath,
  fields: Fields,
  parent: OutlineEntry | undefined,
): OutlineEntry {
  const children: OutlineEntry[] = [];
  const entry = { level, path, fields, parent, children };
  const inner = below[level];
  const list = inner && fields[inner.list];
  if (inner === undefined || !Array.isArray(list)) return entry;
  for (const [index, item] of list.entries())
    if (isObject(item)) children.push(entryOf(inner.level, [...path, inner.list, index], item, entry));
  return entry;
}

export function withDescendants(entry: OutlineEntry): OutlineEntry[] {
  return [entry, ...entry.children.flatMap(withDescendants)];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
