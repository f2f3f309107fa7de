import { quote } from "../base/text/quote.ts";
import { type Problem, formatPath } from "./json.ts";
import { childrenOf, isObject, type OutlineEntry } from "./outline.ts";
import { defaultHost, findHost, slashlessHosts } from "../hosts/registry.ts";

/**
 * Returns why `site.slashless` does not fit the host or the names. With it, each name has a file `NAME.html` beside its
 * folder, and no other document may have that path.
 */
export function slashlessProblems(entries: readonly OutlineEntry[], value: unknown): Problem[] {
  const site = isObject(value) ? value["site"] : undefined;
  if (!isObject(site) || site["slashless"] !== true) return [];
  const host = findHost(site["host"] ?? defaultHost.name);
  if (host === undefined) return [];
  if (host.slashlessPages === undefined) {
    const message = `is for the host ${slashlessHosts.map(quote).join(" or ")} only; remove it, since ${quote(host.name)} answers paths without a slash as JSON`;
    return [{ path: ["site", "slashless"], message }];
  }
  return nameProblems(entries);
}

function nameProblems(entries: readonly OutlineEntry[]): Problem[] {
  const siblings = new Map(
    [undefined, ...entries].map((parent) => [parent, entriesByName(childrenOf(parent, entries))]),
  );
  return entries.flatMap((entry) => {
    const name = entry.fields[entry.level];
    if (entry.level === "node" || typeof name !== "string") return [];
    const problem = nameProblem(name, siblings.get(entry.parent));
    const message = `${quote(name)} cannot be used with site.slashless, since ${problem}; choose another name, or remove site.slashless`;
    return problem === undefined ? [] : [{ path: [...entry.path, entry.level], message }];
  });
}

function entriesByName(entries: readonly OutlineEntry[]): Map<unknown, OutlineEntry> {
  return new Map(entries.map((entry) => [entry.fields[entry.level], entry]));
}

function nameProblem(
  name: string,
  siblings: ReadonlyMap<unknown, OutlineEntry> | undefined,
): string | undefined {
  if (name === "index") return "its file index.html would be the page of the folder above";
  const owner = name.endsWith(".html") ? siblings?.get(name.slice(0, -".html".length)) : undefined;
  return owner === undefined ? undefined : `the file of that name answers for ${formatPath(owner.path)}`;
}
