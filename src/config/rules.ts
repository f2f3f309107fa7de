import { quote } from "../text/quote.ts";
import { type Problem, formatPath } from "./json.ts";
import { subjectsIn } from "./subjects.ts";
import { notifyIsValid } from "./notify-rules.ts";
import { isObject, outline, type OutlineEntry } from "./outline.ts";
import { slashlessProblems } from "./slashless.ts";
import { urlKey } from "../text/url.ts";
import { defaultKind, isKindName, kinds } from "../kinds/kinds.ts";

type Rule = (systems: readonly OutlineEntry[], value: unknown) => Problem[];

/** Returns the problems that no single field shows. Each rule reads the value before validation. */
export function ruleProblems(value: unknown): Problem[] {
  const systems = outline(value);
  return rules.flatMap((rule) => rule(systems, value));
}

const namesAreDistinct: Rule = (systems) => siblings(systems).flatMap((entries) => repeatedNames(entries));

const idsAreUnique: Rule = (systems) => {
  const owners = new Map<number, OutlineEntry>();
  const nodes = entriesAt(systems, "node");
  // A suggested id is above all others: readers may remember one in a gap as that of a removed node.
  let greatest = nodes.reduce((max, { fields: { id } }) => {
    return typeof id === "number" && Number.isSafeInteger(id) ? Math.max(max, id) : max;
  }, 0);
  return nodes.flatMap((node) => {
    const id = node.fields["id"];
    if (typeof id !== "number") return [];
    const owner = owners.get(id);
    if (owner === undefined) {
      owners.set(id, node);
      return [];
    }
    greatest += 1;
    const message = `${id} is already the id of ${formatPath(owner.path)}; the next free one is ${greatest}`;
    return [{ path: [...node.path, "id"], message }];
  });
};

const urlsAreDistinct: Rule = (systems) =>
  entriesAt(systems, "target").flatMap((target) => {
    const seen = new Map<string, OutlineEntry>();
    return target.children.flatMap((node) => {
      const url = node.fields["url"];
      if (typeof url !== "string") return [];
      const key = urlKey(url);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, node);
        return [];
      }
      const message = `${quote(url)} is already the URL of ${formatPath(first.path)}; remove one of the two`;
      return [{ path: [...node.path, "url"], message }];
    });
  });

const primaryIsInTarget: Rule = (systems) =>
  entriesAt(systems, "target").flatMap((target) => {
    const primary = target.fields["primary"];
    if (typeof primary !== "number") return [];
    const ids = target.children.map(({ fields }) => fields["id"]);
    if (ids.includes(primary)) return [];
    const message = `${primary} is not the id of a node of this target; write one of ${ids.join(", ")}`;
    return [{ path: [...target.path, "primary"], message }];
  });

const urlsFitTheirKind: Rule = (systems, value) => {
  const inherited = kindOf(isObject(value) ? value : {}) ?? defaultKind;
  const walk = (entry: OutlineEntry, above: string): Problem[] => {
    const kind = kindOf(entry.fields) ?? above;
    const url = entry.fields["url"];
    const message = typeof url === "string" && isKindName(kind) ? kinds[kind].urlProblem?.(url) : undefined;
    const problem = message === undefined ? [] : [{ path: [...entry.path, "url"], message }];
    return [...problem, ...entry.children.flatMap((child) => walk(child, kind))];
  };
  return systems.flatMap((system) => walk(system, inherited));
};

const maintenanceIsValid: Rule = (systems, value) => {
  const windows = isObject(value) ? value["maintenance"] : undefined;
  if (!Array.isArray(windows)) return [];
  const known = subjectsIn(systems);
  return windows.flatMap((window: unknown, index): Problem[] => {
    if (!isObject(window)) return [];
    const { at, from, to } = window;
    const path = ["maintenance", index];
    const problems: Problem[] = [];
    if ((typeof at === "string" || typeof at === "number") && !known.has(at)) {
      const shown = typeof at === "string" ? quote(at) : String(at);
      const message = `${shown} is not a host, path or id of this file; write git.example.org, system/project/target or an id`;
      problems.push({ path: [...path, "at"], message });
    }
    if (typeof from === "string" && typeof to === "string" && Date.parse(from) >= Date.parse(to)) {
      problems.push({ path: [...path, "to"], message: "must be later than from" });
    }
    return problems;
  });
};

const rules: readonly Rule[] = [
  namesAreDistinct,
  idsAreUnique,
  urlsAreDistinct,
  primaryIsInTarget,
  urlsFitTheirKind,
  maintenanceIsValid,
  notifyIsValid,
  slashlessProblems,
];

function entriesAt(entries: readonly OutlineEntry[], level: OutlineEntry["level"]): OutlineEntry[] {
  return entries.flatMap((entry) => (entry.level === level ? [entry] : entriesAt(entry.children, level)));
}

function siblings(entries: readonly OutlineEntry[]): (readonly OutlineEntry[])[] {
  if (entries[0]?.level === "node") return [];
  return [entries, ...entries.flatMap((entry) => siblings(entry.children))];
}

function repeatedNames(entries: readonly OutlineEntry[]): Problem[] {
  const seen = new Map<string, OutlineEntry>();
  return entries.flatMap((entry) => {
    const name = entry.fields[entry.level];
    if (typeof name !== "string") return [];
    const key = name.toLowerCase();
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, entry);
      return [];
    }
    const message = `${quote(name)} is already the name of ${formatPath(first.path)}, since case is ignored; choose another`;
    return [{ path: [...entry.path, entry.level], message }];
  });
}

function kindOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const probe = fields["probe"];
  return isObject(probe) && typeof probe["kind"] === "string" ? probe["kind"] : undefined;
}
