import type { JsonPath } from "./json.ts";

/** One object of the hierarchy in the file, before validation. */
export interface OutlineEntry {
  readonly level: "system" | "project" | "target" | "node";
  readonly path: JsonPath;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The entry around it. A system has none. */
  readonly parent: OutlineEntry | undefined;
  readonly children: readonly OutlineEntry[];
}

const levels = [
  { level: "system", list: "systems" },
  { level: "project", list: "projects" },
  { level: "target", list: "targets" },
  { level: "node", list: "network" },
] as const;

/**
 * Returns the objects of the hierarchy in any JSON value, without its malformed parts, in the order of the file. So rules
 * that compare entries can report their problems together with those of the schema.
 */
export function outline(value: unknown): OutlineEntry[] {
  return isObject(value) ? entriesIn(value, undefined, 0) : [];
}

function entriesIn(
  fields: Record<string, unknown>,
  parent: OutlineEntry | undefined,
  depth: number,
): OutlineEntry[] {
  const below = levels[depth];
  if (below === undefined) return [];
  const list = Object.hasOwn(fields, below.list) ? fields[below.list] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): OutlineEntry[] => {
    if (!isObject(item)) return [];
    const path = [...(parent?.path ?? []), below.list, index];
    const children: OutlineEntry[] = [];
    const entry = { level: below.level, path, fields: item, parent, children };
    const inner = entriesIn(item, entry, depth + 1);
    for (const one of inner) if (one.parent === entry) children.push(one);
    return [entry, ...inner];
  });
}

/** Returns the entries directly below one, or the systems. */
export function childrenOf(
  parent: OutlineEntry | undefined,
  entries: readonly OutlineEntry[],
): readonly OutlineEntry[] {
  return parent === undefined ? entries.filter(({ level }) => level === "system") : parent.children;
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
