import type { RefSet } from "../probe/ref-set.ts";
import { shownNames } from "./room.ts";
import { namesKept, type NodeContent } from "./content-schema.ts";
import type { Reference } from "./reference-schema.ts";
import { keptId } from "./shown.ts";

/** Returns how a mirror's refs differ from the reference's, or undefined if they are equal or unknown. */
export function differenceOf(
  refs: RefSet | undefined,
  reference: Reference["refs"],
): NodeContent["difference"] {
  if (refs === undefined || reference === undefined) return undefined;
  const expected = new Map(Object.entries(reference));
  const names = {
    missing: [...expected.keys()].filter((name) => !refs.has(name)),
    extra: [...refs.keys()].filter((name) => name !== "HEAD" && !expected.has(name)),
    different: [...expected].flatMap(([name, id]) => {
      const own = refs.get(name);
      return own === undefined || keptId(own) === id ? [] : [name];
    }),
  };
  const [missing, extra, different] = [names.missing.length, names.extra.length, names.different.length];
  if (missing + extra + different === 0) return undefined;
  return {
    ...{ missing, extra, different },
    names: {
      missing: shownNames(names.missing, namesKept),
      extra: shownNames(names.extra, namesKept),
      different: shownNames(names.different, namesKept),
    },
  };
}
