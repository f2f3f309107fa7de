import { quote } from "../base/text/quote.ts";
import { formatPath, type JsonPath, type Problem } from "./json.ts";
import { type Field, repeatedProblems } from "./repeated.ts";
import { subjectProblems, subjectsIn } from "./subjects.ts";
import { notifyIsValid } from "./notify-rules.ts";
import { childrenOf, isObject, outline, type OutlineEntry } from "./outline.ts";
import { slashlessProblems } from "./slashless.ts";
import { urlKey } from "../base/text/url.ts";
import { isKindName, kinds } from "../kinds/kinds.ts";
import { keysHaveEffect, kindsAt } from "./effect-rules.ts";

type Rule = (entries: readonly OutlineEntry[], value: unknown) => Problem[];

/** Returns the problems that no single field shows. Each rule reads the value before validation. */
export function ruleProblems(value: unknown): Problem[] {
  const entries = outline(value);
  return rules.flatMap((rule) => rule(entries, value));
}

const namesAreDistinct: Rule = (entries) =>
  [undefined, ...entries].flatMap((parent) =>
    repeatedProblems(
      textsOf(parent?.level === "target" ? [] : childrenOf(parent, entries), ({ level }) => level),
      (name) => name.toLowerCase(),
      (name, first) =>
        `${quote(name)} is already the name of ${formatPath(first)}, since case is ignored; choose another`,
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
  const messageOf = (id: number, owner: JsonPath): string => {
    greatest += 1;
    return `${id} is already the id of ${formatPath(owner)}; the next free one is ${greatest}`;
  };
  return repeatedProblems(ids, (id) => id, messageOf);
};

const urlsAreDistinct: Rule = (entries) =>
  entries.flatMap(({ level, children }) =>
    repeatedProblems(
      textsOf(level === "target" ? children : [], () => "url"),
      urlKey,
      (url, first) => `${quote(url)} is already the URL of ${formatPath(first)}; remove one of the two`,
    ),
  );

const primaryIsInTarget: Rule = (entries) =>
  entries.flatMap((target) => {
    const primary = target.fields["primary"];
    if (target.level !== "target" || typeof primary !== "number") return [];
    const ids = target.children.map(({ fields }) => fields["id"]);
    if (ids.includes(primary)) return [];
    const message = `${primary} is not the id of a node of this target; write one of ${ids.join(", ")}`;
    return [{ path: [...target.path, "primary"], message }];
  });

const urlsFitTheirKind: Rule = (entries, value) => {
  const kindAt = kindsAt(value);
  return entries.flatMap((entry) => {
    const [kind, url] = [kindAt(entry), entry.fields["url"]];
    const message = typeof url === "string" && isKindName(kind) ? kinds[kind].urlProblem?.(url) : undefined;
    return message === undefined ? [] : [{ path: [...entry.path, "url"], message }];
  });
};

const maintenanceIsValid: Rule = (entries, value) => {
  const windows = isObject(value) ? value["maintenance"] : undefined;
  if (!Array.isArray(windows)) return [];
  const known = subjectsIn(entries);
  return windows.flatMap((window: unknown, index): Problem[] => {
    if (!isObject(window)) return [];
    const { scope, from, to } = window;
    const path = ["maintenance", index];
    const isEmpty = typeof from === "string" && typeof to === "string" && Date.parse(from) >= Date.parse(to);
    return [
      ...subjectProblems([...path, "scope"], scope, known),
      ...(isEmpty ? [{ path: [...path, "to"], message: "must be later than from" }] : []),
    ];
  });
};

const rules: readonly Rule[] = [
  namesAreDistinct,
  idsAreUnique,
  urlsAreDistinct,
  primaryIsInTarget,
  urlsFitTheirKind,
  keysHaveEffect,
  maintenanceIsValid,
  notifyIsValid,
  slashlessProblems,
];

/** Returns the texts that entries have in a field. */
function textsOf(entries: readonly OutlineEntry[], keyOf: (entry: OutlineEntry) => string): Field<string>[] {
  return entries.flatMap((entry) => {
    const key = keyOf(entry);
    const value = entry.fields[key];
    return typeof value === "string" ? [{ owner: entry.path, key, value }] : [];
  });
}
