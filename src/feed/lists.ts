import { rank } from "../contract/rank.ts";
import { kindNames, kinds } from "../kinds/kinds.ts";
import type { MirrorList } from "../kinds/kind.ts";
import type { Feed, FeedNode } from "./feed.ts";

/** A mirror list for a tool, and the nodes that it can contain, in configuration order. */
export interface ToolList {
  readonly list: MirrorList;
  readonly nodes: readonly FeedNode[];
}

/** Returns the mirror lists that can contain at least one of the nodes. */
export function toolLists(nodes: readonly FeedNode[]): ToolList[] {
  return kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).flatMap((list) => {
      const own = nodes.filter((node) => node.kind === kind && (list.isFor?.(node.options) ?? true));
      return own.length > 0 ? [{ list, nodes: own }] : [];
    }),
  );
}

/** Sorts nodes best first. If the prober was offline and no country is given, keeps their order. */
export function listOrder(
  { isKnown, run }: Pick<Feed, "isKnown" | "run">,
  nodes: readonly FeedNode[],
  country?: string,
): readonly FeedNode[] {
  return isKnown || country !== undefined ? rank(nodes, run.generated_at, country) : nodes;
}
