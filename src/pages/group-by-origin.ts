import type { Node } from "../model/feed.ts";

/** What happened to nodes of one host in the same way: a host that fails is told once, not for each of its nodes. */
export interface OriginGroup<Item> {
  readonly host: string;
  readonly items: readonly [Item, ...Item[]];
}

/** Fewer than these of a host are told one by one. */
const minAlike = 3;

/** Items of the same host and key together, where there are three or more; the others alone. The order is kept. */
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
    return group.length < minAlike
      ? group.map((item) => ({ host, items: [item] }))
      : [{ host, items: group }];
  });
}
