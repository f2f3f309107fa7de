import { quote } from "../base/text/quote.ts";
import { urlKey } from "../base/text/url.ts";
import { defaultKind, isKindName, kindUrlProblem } from "../kinds/kinds.ts";
import { formatPath, type Problem } from "./json-document.ts";
import {
  type Fields,
  fieldsAt,
  type Located,
  objectsAt,
  outline,
  type OutlineEntry,
  withDescendants,
} from "./outline.ts";
import { referencesExist } from "./reference-rules.ts";
import { defaultHost, isHostName, slashlessHosts } from "./site-settings.ts";

/** Returns the problems that involve more than one field. Rules read the value before validation. */
export function ruleProblems(value: unknown): Problem[] {
  const entries = outline(value);
  const [file] = entries;
  if (file === undefined) return [];
  return [
    ...entries.flatMap(siblingsAreDistinct),
    ...idsAreUnique(entries),
    ...entries.flatMap((entry) => [
      ...primaryIsInTarget(entry),
      ...urlFitsItsKind(entry),
      ...uselessKeys(entry),
    ]),
    ...referencesExist(entries, file),
    ...repeatProblems(
      objectsAt(file, "notify"),
      "name",
      (name) => `${name} is already the name of a rule; choose another`,
    ),
    ...slashlessFits(entries, file.fields),
  ];
}

/** Names are compared without regard to case, since they become folders. */
function siblingsAreDistinct({ level, children }: OutlineEntry): Problem[] {
  return level === "target"
    ? repeatProblems(
        children,
        "url",
        (url, first) => `${url} is already the URL of ${first}; remove one of the two`,
        urlKey,
      )
    : repeatProblems(
        children,
        children[0]?.level ?? "",
        (name, first) => `${name} is already the name of ${first}, since case is ignored; choose another`,
        (name) => name.toLowerCase(),
      );
}

/** Suggests ids greater than all existing ones, because clients remember the ids of removed nodes. */
function idsAreUnique(entries: readonly OutlineEntry[]): Problem[] {
  const nodes = entries.filter(({ level }) => level === "node");
  let greatest = nodes.reduce((max, { fields: { id } }) => (isId(id) ? Math.max(max, id) : max), 0);
  return repeatProblems(nodes, "id", (id, first) => {
    greatest += 1;
    return `${id} is already the id of ${first}; the next free one is ${greatest}`;
  });
}

/** Reports objects whose name or number at `key` is also that of an earlier one, as `sameText` compares them. */
function repeatProblems(
  objects: readonly Located[],
  key: string,
  messageOf: (shown: string, first: string) => string,
  sameText = (text: string): string => text,
): Problem[] {
  const firsts = new Map<string | number, Located>();
  return objects.flatMap((object) => {
    const value = object.fields[key];
    if (typeof value !== "string" && typeof value !== "number") return [];
    const same = typeof value === "string" ? sameText(value) : value;
    const first = firsts.get(same);
    if (first !== undefined)
      return [{ path: [...object.path, key], message: messageOf(shown(value), formatPath(first.path)) }];
    firsts.set(same, object);
    return [];
  });
}

function primaryIsInTarget(entry: OutlineEntry): Problem[] {
  const { primary } = entry.fields;
  if (entry.level !== "target" || typeof primary !== "number") return [];
  const ids = entry.children.map(({ fields }) => fields["id"]);
  if (ids.length === 0 || ids.includes(primary) || !ids.every(isId)) return [];
  const message = `${primary} is not the id of a mirror of this target; write one of ${ids.join(", ")}`;
  return [{ path: [...entry.path, "primary"], message }];
}

function urlFitsItsKind(entry: OutlineEntry): Problem[] {
  const { url } = entry.fields;
  const kind = kindAt(entry);
  if (entry.level !== "node" || typeof url !== "string" || !isKindName(kind)) return [];
  const message = kindUrlProblem(kind, url);
  return message === undefined ? [] : [{ path: [...entry.path, "url"], message }];
}

/** Returns the kind set by the entry's `probe` or inherited from the nearest level above. */
function kindAt(entry: OutlineEntry): string {
  for (const { fields } of [entry, ...entry.parents]) {
    const { kind } = fieldsAt(fields, "probe");
    if (typeof kind === "string") return kind;
  }
  return defaultKind;
}

/** Reports options that have no effect on any mirror below them. `states` and `codes` only work with `offlineAfter`. */
function uselessKeys(entry: OutlineEntry): Problem[] {
  const { path, fields } = entry;
  const options = Object.keys(fieldsAt(fields, "probe")).filter(isKindName);
  const limits = Object.keys(fieldsAt(fields, "freshness")).filter((key) => key !== "grace");
  if (options.length === 0 && limits.length === 0) return [];
  const nodes = withDescendants(entry).filter(({ level }) => level === "node");
  if (nodes.length === 0) return [];
  const useless = options.filter((kind) => !nodes.some((node) => kindAt(node) === kind));
  return [
    ...useless.map((kind) => ({
      path: [...path, "probe", kind],
      message: `has no effect, since no mirror here is of kind ${kind}; remove it, or set "kind": "${kind}"`,
    })),
    ...(nodes.some(hasOfflineAfter) ? [] : limits).map((key) => ({
      path: [...path, "freshness", key],
      message: "has no effect without offlineAfter; add offlineAfter, or remove this key",
    })),
  ];
}

function hasOfflineAfter(entry: OutlineEntry): boolean {
  return [entry, ...entry.parents].some(({ fields }) => "offlineAfter" in fieldsAt(fields, "freshness"));
}

/** Each name gets a file `NAME.html` next to its folder, which must not have the path of another document. */
function slashlessFits(entries: readonly OutlineEntry[], file: Fields): Problem[] {
  const { slashless, host = defaultHost } = fieldsAt(file, "site");
  if (slashless !== true || !isHostName(host)) return [];
  if (!slashlessHosts.includes(host)) {
    const message = `only works with the host ${slashlessHosts.map(quote).join(" or ")}; remove it`;
    return [{ path: ["site", "slashless"], message }];
  }
  return entries.flatMap((entry) => {
    const name = entry.fields[entry.level];
    if (typeof name !== "string" || !(name === "index" || name.endsWith(".html"))) return [];
    const message = `${quote(name)} cannot be used with site.slashless; choose another name, or remove site.slashless`;
    return [{ path: [...entry.path, entry.level], message }];
  });
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function shown(value: string | number): string {
  return typeof value === "string" ? quote(value) : String(value);
}
