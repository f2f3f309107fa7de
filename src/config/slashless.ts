import { quote } from "../text/quote.ts";
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
  return entries.flatMap((entry) => {
    const name = entry.fields[entry.level];
    if (entry.level === "node" || typeof name !== "string") return [];
    const problem = nameProblem(name, childrenOf(entry.parent, entries));
    const message = `${quote(name)} cannot be used with site.slashless, since ${problem}; choose another name, or remove site.slashless`;
    return problem === undefined ? [] : [{ path: [...entry.path, entry.level], message }];
  });
}

function nameProblem(name: string, siblings: readonly OutlineEntry[]): string | undefined {
  if (name === "index") return "its file index.html would be the page of the folder above";
  if (!name.endsWith(".html")) return undefined;
  const owner = siblings.findLast(({ level, fields }) => fields[level] === name.slice(0, -".html".length));
  return owner === undefined ? undefined : `the file of that name answers for ${formatPath(owner.path)}`;
}
