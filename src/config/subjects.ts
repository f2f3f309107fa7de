import { parseUrl } from "../base/text/url.ts";
import { quote } from "../base/text/quote.ts";
import type { JsonPath, Problem } from "./json.ts";
import type { OutlineEntry } from "./outline.ts";

/** Returns every host, path and id that names mirrors of a file, as in `maintenance` and `notify`. */
export function subjectsIn(entries: readonly OutlineEntry[]): Set<unknown> {
  const subjects = entries.flatMap((entry): unknown[] => {
    const { id, url } = entry.fields;
    if (entry.level === "node") return typeof url === "string" ? [id, parseUrl(url)?.host] : [id];
    return entry.level === "system" ? [] : [placeOf(entry)];
  });
  return new Set(subjects);
}

/** Returns the names that lead to an entry, such as `system/project`. */
function placeOf({ level, fields, parent }: OutlineEntry): string {
  const name = fields[level];
  const own = typeof name === "string" ? name : "";
  return parent === undefined ? own : `${placeOf(parent)}/${own}`;
}

/** Returns the problem of a value of the key `scope` that names none of these. */
export function subjectProblems(path: JsonPath, scope: unknown, known: ReadonlySet<unknown>): Problem[] {
  if ((typeof scope !== "string" && typeof scope !== "number") || known.has(scope)) return [];
  const shown = typeof scope === "string" ? quote(scope) : String(scope);
  const message = `${shown} is not a host, path or id of this file; write git.example.org, system/project/target or an id`;
  return [{ path, message }];
}
