import type { JsonPath } from "./json-document.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** An object in mirrors.json that has not been validated yet. */
export interface Located {
  readonly path: JsonPath;
  readonly fields: Fields;
}

/** The whole file, or a system, project, target or node in it. */
export interface OutlineEntry extends Located {
  readonly level: Level;
  /** The entries that contain this one, innermost first. */
  readonly parents: readonly OutlineEntry[];
  readonly children: readonly OutlineEntry[];
}

const below = {
  file: { list: "systems", level: "system" },
  system: { list: "projects", level: "project" },
  project: { list: "targets", level: "target" },
  target: { list: "network", level: "node" },
  node: undefined,
} as const;

type Level = keyof typeof below;

/** Returns the entries of any JSON value in file order, without malformed ones. */
export function outline(value: unknown): OutlineEntry[] {
  return isObject(value) ? withDescendants(entryOf("file", { path: [], fields: value }, [])) : [];
}

function entryOf(level: Level, located: Located, parents: readonly OutlineEntry[]): OutlineEntry {
  const children: OutlineEntry[] = [];
  const entry = { level, ...located, parents, children };
  const inner = below[level];
  if (inner === undefined) return entry;
  for (const item of objectsAt(located, inner.list))
    children.push(entryOf(inner.level, item, [entry, ...parents]));
  return entry;
}

export function withDescendants(entry: OutlineEntry): OutlineEntry[] {
  return [entry, ...entry.children.flatMap(withDescendants)];
}

/** Returns the objects in the list at a key. If the key has a single object, returns that. */
export function objectsAt({ path, fields }: Located, key: string): Located[] {
  const value = fields[key];
  if (isObject(value)) return [{ path: [...path, key], fields: value }];
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item, index) =>
    isObject(item) ? [{ path: [...path, key, index], fields: item }] : [],
  );
}

/** Returns the object at a key, or an empty one. */
export function fieldsAt(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
