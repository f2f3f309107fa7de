import { type MirrorState, mirrorStates } from "../../core/verdict/mirror-state.ts";
import { type ContentCode, contentCodeNames } from "../../core/kinds/mirror-content.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** A state, or a problem with the content. Headlines count the mirrors in each condition. */
export type Condition = MirrorState | ContentCode;

const conditions: readonly Condition[] = mirrorStates.flatMap((state): readonly Condition[] =>
  state === "wrong" ? [...contentCodeNames, state] : [state],
);

/** Returns how many mirrors are in each condition that occurs, worst first. */
export function countConditions(nodes: readonly FeedNode[]) {
  const found = nodes.map((node) => (node.state === "wrong" ? wrongContentOf(node) : node.state));
  return countFound(conditions, found);
}

/** Counts each name in `found`, in the order of `names`. Leaves out names that don't occur. */
export function countFound<Name>(names: readonly Name[], found: readonly Name[]) {
  return names
    .map((name) => [name, found.filter((one) => one === name).length] as const)
    .filter(([, count]) => count > 0);
}

/** Returns `wrong` if this version of mirrorfeed doesn't know the code. */
export function wrongContentOf({ content_code }: FeedNode): ContentCode | "wrong" {
  return contentCodeNames.find((code) => code === content_code) ?? "wrong";
}
