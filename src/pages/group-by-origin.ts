import type { Node } from "../model/feed.ts";

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
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const name = `${item.node.host} ${key(item)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group): OriginGroup<Item>[] => {
    const { host } = group[0].node;
    return group.length < minGroup
      ? group.map((item) => ({ host, items: [item] }))
      : [{ host, items: group }];
  });
}
