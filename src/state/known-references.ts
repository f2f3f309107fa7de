import type { ContentIndex } from "../kinds/kind.ts";
import type { State } from "./document.ts";

/** What earlier runs know of the reference of a target. */
interface KnownReference {
  readonly revision: string;
  readonly index?: ContentIndex | undefined;
}

/** Returns the newest revision of each reference by the place of its target, and what is known of its content. */
export function knownReferences(state: State | undefined): Map<string, KnownReference> {
  return new Map(
    Object.entries(state?.references ?? {}).flatMap(([place, { revisions, contents }]) => {
      const [revision] = revisions.at(-1) ?? [];
      return revision === undefined
        ? []
        : [[place, { revision, index: contents?.[revision]?.index }] as const];
    }),
  );
}
