import type { State } from "./document.ts";
import { incomplete } from "./freshness.ts";

/** Returns the ids of the nodes that lacked a part of their content when they were observed last. */
export function incompleteNodes(state: State | undefined): Set<number> {
  return new Set(
    Object.entries(state?.nodes ?? {}).flatMap(([id, { content_code }]) =>
      incomplete.has(content_code) ? [Number(id)] : [],
    ),
  );
}
