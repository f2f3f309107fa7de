import { rank } from "../contract/rank.ts";
import { kindNames, kinds } from "../kinds/kinds.ts";
import type { MirrorList } from "../kinds/kind.ts";
import type { Feed, FeedNode } from "./feed.ts";

/** A list for a tool, with the nodes that can be in it, in the order of the configuration. */
export interface ToolList {
  readonly list: MirrorList;
  readonly nodes: readonly FeedNode[];
}

/** Returns the lists for tools that some of these nodes have. */
export function toolLists(nodes: readonly FeedNode[]): ToolList[] {
  return kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).flatMap((list) => {
      const own = nodes.filter((node) => node.kind === kind && (list.isFor?.(node.options) ?? true));
      return own.length > 0 ? [{ list, nodes: own }] : [];
    }),
  );
}

/** Returns nodes in the order of the mirror lists, the best first, or in that of the configuration if the prober was offline. */
export function listOrder(
  { isKnown }: Pick<Feed, "isKnown">,
  nodes: readonly FeedNode[],
  country?: string,
): readonly FeedNode[] {
  return isKnown || country !== undefined ? rank(nodes, country) : nodes;
}
