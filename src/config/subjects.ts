import { parseUrl } from "../text/url.ts";
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
