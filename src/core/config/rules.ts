import { quote } from "../base/text/quote.ts";
import { urlKey } from "../base/text/url.ts";
import { defaultKind, isKindName, kinds } from "../kinds/kinds.ts";
import { defaultHost, isHostName, slashlessHosts } from "./host-names.ts";
import { formatPath, keyOf, type Problem } from "./json-document.ts";
import { type Fields, isObject, outline, type OutlineEntry, withDescendants } from "./outline.ts";
import { isId, referencesExist, repeatProblems } from "./reference-rules.ts";

type Rule = (entries: readonly OutlineEntry[], file: Fields) => Problem[];

/** Returns the problems that involve more than one field. Rules read the value before validation. */
export function ruleProblems(value: unknown): Problem[] {
  const entries = outline(value);
  return entries.slice(0, 1).flatMap(({ fields }) => rules.flatMap((rule) => rule(entries, fields)));
}

const namesAreDistinct = (entries: readonly OutlineEntry[]): Problem[] =>
  entries.flatMap(({ level, children }) =>
    level === "target"
      ? []
      : repeatProblems(
          children,
          children[0]?.level ?? "",
          (name) => (typeof name === "string" ? name.toLowerCase() : undefined),
          (name, first) =>
            `${name} is already the name of ${formatPath(first)}, since case is ignored; choose another`,
        ),
  );

const urlsAreDistinct: Rule = (entries) =>
  entries.flatMap(({ level, children }) =>
    repeatProblems(
      level === "target" ? children : [],
      "url",
      (url) => (typeof url === "string" ? urlKey(url) : undefined),
      (url, first) => `${url} is already the URL of ${formatPath(first)}; remove one of the two`,
    ),
  );

const idsAreUnique: Rule = (entries) => {
  // If an object was copied as a whole, only its name is reported, not the ids in it.
  const repeated = new Set(namesAreDistinct(entries).map(({ path }) => keyOf(path.slice(0, -1))));
  const isRepeated = ({ path, parent }: OutlineEntry): boolean =>
    repeated.has(keyOf(path)) || (parent !== undefined && isRepeated(parent));
  const nodes = entries.filter(
    (entry) => entry.level === "node" && !(repeated.size > 0 && isRepeated(entry)),
  );
  // Suggest ids that are greater than all existing ids, because clients remember the ids of removed nodes.
  let greatest = nodes.reduce(
    (max, { fields: { id } }) => (Number.isSafeInteger(id) ? Math.max(max, Number(id)) : max),
    0,
  );
  return repeatProblems(
    nodes,
    "id",
    (id) => (typeof id === "number" ? id : undefined),
    (id, first) => {
      greatest += 1;
      return `${id} is already the id of ${formatPath(first)}; the next free one is ${greatest}`;
    },
  );
};

const primaryIsInTarget: Rule = (entries) =>
  entries.flatMap(({ level, path, fields: { primary }, children }) => {
    if (level !== "target" || typeof primary !== "number") return [];
    const ids = children.map(({ fields }) => fields["id"]);
    if (ids.length === 0 || ids.includes(primary) || !ids.every(isId)) return [];
    const message = `${primary} is not the id of a mirror of this target; write one of ${ids.join(", ")}`;
    return [{ path: [...path, "primary"], message }];
  });

const urlsFitTheirKind: Rule = (entries) =>
  entries.flatMap((entry) => {
    const [kind, url] = [kindAt(entry), entry.fields["url"]];
    if (entry.level === "file" || typeof url !== "string" || !isKindName(kind)) return [];
    const message = kinds[kind].urlProblem?.(url);
    return message === undefined ? [] : [{ path: [...entry.path, "url"], message }];
  });

/** Returns the kind set by the entry's `probe` or inherited from the nearest level above. */
function kindAt({ fields: { probe }, parent }: OutlineEntry): string {
  if (isObject(probe) && typeof probe["kind"] === "string") return probe["kind"];
  return parent === undefined ? defaultKind : kindAt(parent);
}

/**
 * Reports keys that have no effect on any mirror below them. A key is reported where it is written, not where it is
 * inherited.
 */
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

/** `states` and `codes` only work with `offlineAfter`. */
function uselessFreshness(
  { path, fields: { freshness } }: OutlineEntry,
  nodes: readonly OutlineEntry[],
): Problem[] {
  if (!isObject(freshness) || nodes.some(hasOfflineAfter)) return [];
  const ruled = Object.keys(freshness).filter((key) => key !== "grace");
  return ruled.map((key) => ({
    path: [...path, "freshness", key],
    message: "has no effect without offlineAfter; add offlineAfter, or remove this key",
  }));
}

function hasOfflineAfter({ fields: { freshness }, parent }: OutlineEntry): boolean {
  return (
    (isObject(freshness) && "offlineAfter" in freshness) || (parent !== undefined && hasOfflineAfter(parent))
  );
}

/**
 * Checks that the host supports `site.slashless` and that the names allow it: each name gets a file `NAME.html` next to
 * its folder, which must not have the path of another document.
 */
const slashlessFits: Rule = (entries, { site }) => {
  if (!isObject(site) || site["slashless"] !== true) return [];
  const host = site["host"] ?? defaultHost;
  if (!isHostName(host)) return [];
  if (!slashlessHosts.includes(host)) {
    const message = `only works with the host ${slashlessHosts.map(quote).join(" or ")}; remove it`;
    return [{ path: ["site", "slashless"], message }];
  }
  return entries.flatMap(({ level, path, fields }): Problem[] => {
    const name = level === "node" ? undefined : fields[level];
    if (typeof name !== "string" || !(name === "index" || name.endsWith(".html"))) return [];
    const message = `${quote(name)} cannot be used with site.slashless; choose another name, or remove site.slashless`;
    return [{ path: [...path, level], message }];
  });
};

const rules: readonly Rule[] = [
  namesAreDistinct,
  idsAreUnique,
  urlsAreDistinct,
  primaryIsInTarget,
  urlsFitTheirKind,
  keysHaveEffect,
  referencesExist,
  slashlessFits,
];
