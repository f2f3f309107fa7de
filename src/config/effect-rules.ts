import { defaultKind, isKindName } from "../kinds/kinds.ts";
import type { JsonPath, Problem } from "./json.ts";
import { isObject, type OutlineEntry } from "./outline.ts";

/** A level of the file with the nodes below it: the file itself, a project, a target or a node. */
interface Level {
  readonly path: JsonPath;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly nodes: readonly OutlineEntry[];
}

/** Returns the problems of keys that change nothing for any mirror below them. What a level inherits is no problem. */
export function keysHaveEffect(entries: readonly OutlineEntry[], value: unknown): Problem[] {
  if (!isObject(value)) return [];
  const nodes = entries.filter(({ level }) => level === "node");
  const kindOf = kindsAt(value);
  const root: Level = { path: [], fields: value, nodes };
  const levels = [root, ...entries.map((entry) => ({ ...entry, nodes: nodesBelow(entry) }))];
  return levels.flatMap((level) => [
    ...uselessOptions(level, kindOf),
    ...uselessFreshness(level, value["freshness"]),
  ]);
}

/** Returns a function that returns the kind of an entry, by its own `probe` or the innermost one around it. */
export function kindsAt(value: unknown): (entry: OutlineEntry) => string {
  const inherited = kindOf(isObject(value) ? value : {}) ?? defaultKind;
  const kindAt = (entry: OutlineEntry | undefined): string =>
    entry === undefined ? inherited : (kindOf(entry.fields) ?? kindAt(entry.parent));
  return kindAt;
}

function kindOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const probe = fields["probe"];
  return isObject(probe) && typeof probe["kind"] === "string" ? probe["kind"] : undefined;
}

function nodesBelow(entry: OutlineEntry): readonly OutlineEntry[] {
  return entry.level === "node" ? [entry] : entry.children.flatMap(nodesBelow);
}

function uselessOptions(
  { path, fields: { probe }, nodes }: Level,
  kindAt: (entry: OutlineEntry) => string,
): Problem[] {
  const kinds = new Set(nodes.map(kindAt));
  const given = isObject(probe) ? Object.keys(probe).filter(isKindName) : [];
  return given.flatMap((kind) => {
    if (nodes.length === 0 || kinds.has(kind)) return [];
    const message = `has no effect, since no mirror here is of kind ${kind}; remove it, or set "kind": "${kind}"`;
    return [{ path: [...path, "probe", kind], message }];
  });
}

/** `states` and `codes` say which content makes a mirror offline, and `offlineAfter` that it does. */
function uselessFreshness({ path, fields: { freshness }, nodes }: Level, ofFile: unknown): Problem[] {
  if (!isObject(freshness) || nodes.length === 0) return [];
  const isLimited = nodes.some((node) =>
    [...levelsOf(node), ofFile].some((level) => isObject(level) && "offlineAfter" in level),
  );
  if (isLimited) return [];
  return Object.keys(freshness).map((key) => ({
    path: [...path, "freshness", key],
    message: "has no effect without offlineAfter; add that, or remove this",
  }));
}

/** Returns `freshness` of an entry and of those around it. */
function levelsOf({ fields: { freshness }, parent }: OutlineEntry): unknown[] {
  return [freshness, ...(parent === undefined ? [] : levelsOf(parent))];
}
