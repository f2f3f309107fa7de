import type { RefSet } from "../probe/ref-set.ts";
import { namesKept, type NodeState } from "./document.ts";
import type { Stood } from "./freshness.ts";
import { type Reference } from "./reference-document.ts";
import { keptId, stoodSince } from "./reference.ts";

/** How the refs of a node differ from those of the reference. */
export interface RefDifference extends Omit<Stood, "isExact"> {
  /** Undefined if they are equal. */
  readonly counts: NodeState["difference"];
}

/** Returns the difference between the refs of a node and the newest ones of a reference. */
export function compareRefs(refs: RefSet, reference: Reference): RefDifference {
  const expected = new Map(Object.entries(reference.refs ?? {}));
  const missing = [...expected.keys()].filter((name) => !refs.has(name));
  const extra: string[] = [];
  const different: string[] = [];
  for (const [name, id] of refs) {
    const other = expected.get(name);
    if (other === undefined) extra.push(name);
    else if (other !== keptId(id)) different.push(name);
  }
  const names = [...missing, ...extra, ...different];
  if (names.length === 0)
    return { counts: undefined, since: undefined, missingSince: undefined, heldSince: undefined };
  return {
    counts: {
      missing: missing.length,
      extra: extra.length,
      different: different.length,
      names: { missing: first(missing), extra: first(extra), different: first(different) },
    },
    since: oldestOf(names, reference),
    missingSince: oldestOf(missing, reference),
    heldSince: oldestOf([...missing, ...different], reference),
  };
}

/** Returns since when a reference has stood at the oldest of these refs; undefined if there are none. */
function oldestOf(names: readonly string[], reference: Reference): number | undefined {
  if (names.length === 0) return undefined;
  return names.reduce((oldest, name) => Math.min(oldest, stoodSince(reference, name)), Infinity);
}

/** How much of a name is kept. */
const lengthKept = 200;

function first(names: readonly string[]): string[] {
  return names
    .slice(0, namesKept)
    .map((name) => (name.length > lengthKept ? `${name.slice(0, lengthKept - 1)}…` : name));
}
