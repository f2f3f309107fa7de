import { quote } from "../base/text/quote.ts";
import { urlKey } from "../base/text/url.ts";
import { defaultHost, findHost, slashlessHosts } from "../hosts/registry.ts";
import { defaultKind, isKindName, kinds } from "../kinds/kinds.ts";
import { formatPath, type JsonPath, type Problem } from "./json.ts";
import { type Fields, isObject, outline, type OutlineEntry, withDescendants } from "./outline.ts";
import { maintenanceIsValid, notifyIsValid } from "./reference-rules.ts";

type Rule = (entries: readonly OutlineEntry[], file: Fields) => Problem[];

/** Returns the problems that no single field shows. Each rule reads the value before validation. */
export function ruleProblems(value: unknown): Problem[] {
  const entries = outline(value);
  return isObject(value) ? rules.flatMap((rule) => rule(entries, value)) : [];
}

const namesAreDistinct: Rule = (entries) =>
  entries.flatMap(({ level, children }) =>
    repeatedProblems(
      level === "target" ? [] : children.flatMap((child) => textField(child, child.level)),
      (name) => name.toLowerCase(),
      (name, first) =>
        `${quote(name)} is already the name of ${formatPath(first)}, since case is ignored; choose another`,
    ),
  );

const urlsAreDistinct: Rule = (entries) =>
  entries.flatMap(({ level, children }) =>
    repeatedProblems(
      level === "target" ? children.flatMap((child) => textField(child, "url")) : [],
      urlKey,
      (url, first) => `${quote(url)} is already the URL of ${formatPath(first)}; remove one of the two`,
    ),
  );

const idsAreUnique: Rule = (entries) => {
  const ids = entries.flatMap(({ level, path, fields: { id } }) =>
    level === "node" && typeof id === "number" ? [{ owner: path, key: "id", value: id }] : [],
  );
  // A suggested id is above all others: readers may remember one in a gap as that of a removed node.
  let greatest = ids.reduce(
    (max, { value }) => (Number.isSafeInteger(value) ? Math.max(max, value) : max),
    0,
  );
  const messageOf = (id: number, first: JsonPath): string => {
    greatest += 1;
    return `${id} is already the id of ${formatPath(first)}; the next free one is ${greatest}`;
  };
  return repeatedProblems(ids, (id) => id, messageOf);
};

interface Field<Value> {
  readonly owner: JsonPath;
  readonly key: string;
  readonly value: Value;
}

function textField({ path, fields }: OutlineEntry, key: string): Field<string>[] {
  const value = fields[key];
  return typeof value === "string" ? [{ owner: path, key, value }] : [];
}

/** Returns a problem for each value that counts as the same as an earlier one. `messageOf` gets the owner of that one. */
function repeatedProblems<Value>(
  fields: readonly Field<Value>[],
  sameKey: (value: Value) => unknown,
  messageOf: (value: Value, first: JsonPath) => string,
): Problem[] {
  const firsts = new Map<unknown, JsonPath>();
  return fields.flatMap(({ owner, key, value }) => {
    const first = firsts.get(sameKey(value));
    if (first !== undefined) return [{ path: [...owner, key], message: messageOf(value, first) }];
    firsts.set(sameKey(value), owner);
    return [];
  });
}

const primaryIsInTarget: Rule = (entries) =>
  entries.flatMap(({ level, path, fields: { primary }, children }) => {
    if (level !== "target" || typeof primary !== "number") return [];
    const ids = children.map(({ fields }) => fields["id"]);
    if (ids.includes(primary)) return [];
    const message = `${primary} is not the id of a node of this target; write one of ${ids.join(", ")}`;
    return [{ path: [...path, "primary"], message }];
  });

const urlsFitTheirKind: Rule = (entries) =>
  entries.flatMap((entry) => {
    const [kind, url] = [kindAt(entry), entry.fields["url"]];
    if (entry.level === "file" || typeof url !== "string" || !isKindName(kind)) return [];
    const message = kinds[kind].urlProblem?.(url);
    return message === undefined ? [] : [{ path: [...entry.path, "url"], message }];
  });

/** Returns the kind of an entry, by its own `probe` or the innermost one around it. */
function kindAt({ fields: { probe }, parent }: OutlineEntry): string {
  if (isObject(probe) && typeof probe["kind"] === "string") return probe["kind"];
  return parent === undefined ? defaultKind : kindAt(parent);
}

/** Finds keys that change nothing for any mirror below them. What a level inherits is no problem. */
const keysHaveEffect: Rule = (entries) =>
  entries.flatMap((entry) => {
    const nodes = withDescendants(entry).filter(({ level }) => level === "node");
    return nodes.length === 0 ? [] : [...uselessOptions(entry, nodes), ...uselessFreshness(entry, nodes)];
  });

function uselessOptions(
  { path, fields: { probe } }: OutlineEntry,
  nodes: readonly OutlineEntry[],
): Problem[] {
  const given = isObject(probe) ? Object.keys(probe).filter(isKindName) : [];
  return given.flatMap((kind) => {
    if (nodes.some((node) => kindAt(node) === kind)) return [];
    const message = `has no effect, since no mirror here is of kind ${kind}; remove it, or set "kind": "${kind}"`;
    return [{ path: [...path, "probe", kind], message }];
  });
}

/** `states` and `codes` say which content makes a mirror offline, and `offlineAfter` that it does. */
function uselessFreshness(
  { path, fields: { freshness } }: OutlineEntry,
  nodes: readonly OutlineEntry[],
): Problem[] {
  if (!isObject(freshness) || nodes.some(hasOfflineAfter)) return [];
  return Object.keys(freshness).map((key) => ({
    path: [...path, "freshness", key],
    message: "has no effect without offlineAfter; add that, or remove this",
  }));
}

function hasOfflineAfter({ fields: { freshness }, parent }: OutlineEntry): boolean {
  return (
    (isObject(freshness) && "offlineAfter" in freshness) || (parent !== undefined && hasOfflineAfter(parent))
  );
}

/**
 * Finds why `site.slashless` does not fit the host or the names. With it, each name has a file `NAME.html` beside its
 * folder, and no other document may have that path.
 */
export const slashlessFits: Rule = (entries, { site }) => {
  if (!isObject(site) || site["slashless"] !== true) return [];
  const host = findHost(site["host"] ?? defaultHost.name);
  if (host === undefined) return [];
  if (host.slashlessPages === undefined) {
    const message = `is for the host ${slashlessHosts.map(quote).join(" or ")} only; remove it, since ${quote(host.name)} answers paths without a slash as JSON`;
    return [{ path: ["site", "slashless"], message }];
  }
  const childrenByName = new Map(
    entries.map((parent) => [parent, new Map(parent.children.map((child) => [nameOf(child), child]))]),
  );
  return entries.flatMap((entry) => {
    const { level, path, parent } = entry;
    const name = nameOf(entry);
    if (parent === undefined || level === "node" || typeof name !== "string") return [];
    const owner = name.endsWith(".html")
      ? childrenByName.get(parent)?.get(name.slice(0, -".html".length))
      : undefined;
    if (name !== "index" && owner === undefined) return [];
    const problem =
      owner === undefined
        ? "its file index.html would be the page of the folder above"
        : `the file of that name answers for ${formatPath(owner.path)}`;
    const message = `${quote(name)} cannot be used with site.slashless, since ${problem}; choose another name, or remove site.slashless`;
    return [{ path: [...path, level], message }];
  });
};

function nameOf({ level, fields }: OutlineEntry): unknown {
  return fields[level];
}

const rules: readonly Rule[] = [
  namesAreDistinct,
  idsAreUnique,
  urlsAreDistinct,
  primaryIsInTarget,
  urlsFitTheirKind,
  keysHaveEffect,
  maintenanceIsValid,
  notifyIsValid,
  slashlessFits,
];
