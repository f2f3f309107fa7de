import { parseUrl } from "../text/url.ts";
import { quote } from "../text/quote.ts";
import type { JsonPath, Problem } from "./json.ts";
import type { OutlineEntry } from "./outline.ts";

/** Returns every host, path and id that names mirrors of a file, as in `maintenance` and `notify`. */
export function subjectsIn(systems: readonly OutlineEntry[]): Set<unknown> {
  const known = new Set<unknown>();
  const walk = (entry: OutlineEntry, above: string): void => {
    if (entry.level === "node") {
      const { id, url } = entry.fields;
      known.add(id);
      if (typeof url === "string") known.add(parseUrl(url)?.host);
      return;
    }
    const name = entry.fields[entry.level];
    const here = typeof name === "string" ? `${above}${name}` : above;
    if (entry.level !== "system") known.add(here);
    entry.children.forEach((child) => {
      walk(child, `${here}/`);
    });
  };
  systems.forEach((system) => {
    walk(system, "");
  });
  return known;
}

/** Returns the problem of a value of the key `at` that names none of these. */
export function subjectProblems(path: JsonPath, at: unknown, known: ReadonlySet<unknown>): Problem[] {
  if ((typeof at !== "string" && typeof at !== "number") || known.has(at)) return [];
  const shown = typeof at === "string" ? quote(at) : String(at);
  const message = `${shown} is not a host, path or id of this file; write git.example.org, system/project/target or an id`;
  return [{ path, message }];
}
