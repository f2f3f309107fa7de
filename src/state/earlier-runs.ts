import type { State } from "./document.ts";
import { incompleteNodes } from "./incomplete.ts";
import { knownReferences } from "./known-references.ts";
import { silentNodes } from "./silent.ts";

/** Returns what earlier runs know that probes use: silent nodes, nodes that lacked a file, and the references. */
export function earlierRuns(state: State | undefined) {
  return {
    silent: silentNodes(state),
    incomplete: incompleteNodes(state),
    references: knownReferences(state),
  };
}
