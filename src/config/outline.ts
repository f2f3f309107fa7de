import type { JsonPath } from "./json.ts";

/** One object of the hierarchy in the file, before validation. */
export interface OutlineEntry {
  readonly level: "system" | "project" | "target" | "node";
  readonly path: JsonPath;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly children: readonly OutlineEntry[];
}

const levels = [
  { level: "system", list: "systems" },
  { level: "project", list: "projects" },
  { level: "target", list: "targets" },
  { level: "node", list: "network" },
] as const;

/**
 * Returns the hierarchy of any JSON value without its malformed parts. So rules that compare entries can report their
 * problems together with those of the schema.
 */
export function outline(value: unknown): OutlineEntry[] {
  return isObject(value) ? children(value, [], 0) : [];
}

function children(fields: Record<string, unknown>, path: JsonPath, depth: number): OutlineEntry[] {
  const below = levels[depth];
  if (below === undefined) return [];
  const list = Object.hasOwn(fields, below.list) ? fields[below.list] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): OutlineEntry[] => {
    if (!isObject(item)) return [];
    const here = [...path, below.list, index];
    return [{ level: below.level, path: here, fields: item, children: children(item, here, depth + 1) }];
  });
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
