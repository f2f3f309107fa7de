import type { FeedNode } from "./feed.ts";

/** What happened to nodes of one host in the same way: a host that fails is told once, not for each of its nodes. */
export interface Alike<Item> {
  readonly host: string;
  readonly items: readonly [Item, ...Item[]];
}

/** Fewer than these of a host are told one by one. */
const fewestAlike = 3;

/** Items of the same host and key together, where there are three or more; the others alone. The order is kept. */
export function groupAlike<Item extends { readonly of: FeedNode }>(
  items: readonly Item[],
  key: (item: Item) => string,
): Alike<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const name = `${hostOf(item.of)} ${key(item)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group): Alike<Item>[] => {
    const host = hostOf(group[0].of);
    return group.length < fewestAlike
      ? group.map((item) => ({ host, items: [item] }))
      : [{ host, items: group }];
  });
}

function hostOf({ node }: FeedNode): string {
  return new URL(node.url).host;
}
