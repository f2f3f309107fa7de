import { type MirrorState, mirrorStates } from "../../contract/mirror-state.ts";
import type { FeedNode } from "../../feed/feed.ts";
import { type ContentCode, contentCodeNames } from "../../kinds/mirror-content.ts";

/** The things headlines count: a state, or a problem with the content. */
export type Condition = MirrorState | ContentCode;

const conditions: readonly Condition[] = mirrorStates.flatMap((state): readonly Condition[] =>
  state === "wrong" ? [...contentCodeNames, state] : [state],
);

/** Returns how many mirrors are in each condition that occurs, the worst first. */
export function countConditions(nodes: readonly FeedNode[]): (readonly [Condition, number])[] {
  const found = nodes.map((node) => (node.state === "wrong" ? wrongContentOf(node) : node.state));
  return countFound(conditions, found);
}

/** Returns how often each of these names was found, in their order. Names that were not found are left out. */
export function countFound<Name>(
  names: readonly Name[],
  found: readonly Name[],
): (readonly [Name, number])[] {
  return names
    .map((name) => [name, found.filter((one) => one === name).length] as const)
    .filter(([, count]) => count > 0);
}

/** Returns the problem with a mirror's content. Another version may have a code that this one does not know. */
export function wrongContentOf({ content_code }: FeedNode): ContentCode | "wrong" {
  return contentCodeNames.find((code) => code === content_code) ?? "wrong";
}
