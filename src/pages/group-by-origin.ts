import type { Node } from "../model/feed.ts";
import { group } from "../text/group.ts";

/** The same event on nodes of one host, so that a host that fails takes one line on a page and not one for each node. */
export interface OriginGroup<Item> {
  readonly host: string;
  readonly items: readonly [Item, ...Item[]];
}

/** Smaller groups are shown as single items. */
const minGroup = 3;

/** Returns groups of the items with the same host and key. Items with fewer than two equals stay single. Keeps the order. */
export function groupByOrigin<Item extends { readonly node: Node }>(
  items: readonly Item[],
  key: (item: Item) => string,
): OriginGroup<Item>[] {
  const groups = group(items.map((item) => [`${item.node.host} ${key(item)}`, item]));
  return [...groups.values()].flatMap((own): OriginGroup<Item>[] => {
    const { host } = own[0].node;
    return own.length < minGroup ? own.map((item) => ({ host, items: [item] })) : [{ host, items: own }];
  });
}
