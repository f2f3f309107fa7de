import { quote } from "../../quote.ts";
import type { NodeDocument } from "../../render/network.ts";
import type { FeedDocument, TargetNodes } from "./document.ts";
import type { Finding } from "./severity.ts";

/** The first thing in which two documents differ, safe to print. */
export type Difference = Omit<Finding, "rule">;

/** Where a document lists other targets than it should. */
export function differenceOfPlaces(
  path: string,
  expected: readonly string[],
  came: readonly TargetNodes[],
): Difference | undefined {
  return differenceOf(
    `targets of ${path}`,
    expected,
    came.map(({ place }) => place),
    quote,
    quote,
  );
}

/** Where targets differ, in their names or their nodes. */
export function differenceOfTargets(
  expected: readonly TargetNodes[],
  came: readonly TargetNodes[],
  path: string,
): Difference | undefined {
  return (
    differenceOfPlaces(
      path,
      expected.map(({ place }) => place),
      came,
    ) ??
    firstOf([...expected.entries()], ([index, { place, network }]) =>
      differenceOfNodes(place, network, came[index]?.network ?? []),
    )
  );
}

/** Where the nodes of a target differ. */
export function differenceOfNodes(
  place: string,
  expected: readonly NodeDocument[],
  came: readonly NodeDocument[],
): Difference | undefined {
  return differenceOf(`nodes of ${place}`, expected, came, keyOf, shownNode);
}

/** The first place at which two lists differ. */
export function differenceOf<Item>(
  what: string,
  expected: readonly Item[],
  came: readonly Item[],
  key: (item: Item) => string,
  shown: (item: Item) => string,
): Difference | undefined {
  const longer = expected.length > came.length ? expected : came;
  const at = (items: readonly Item[], index: number): readonly Item[] => items.slice(index, index + 1);
  const index = longer.findIndex((_, place) => {
    return at(expected, place).map(key).join() !== at(came, place).map(key).join();
  });
  if (index < 0) return undefined;
  const told = (items: readonly Item[]): string => at(items, index).map(shown).join() || "nothing more";
  return { expected: `${what}, number ${index + 1}: ${told(expected)}`, came: told(came) };
}

/** A node of a part that its whole does not have, whatever the whole's shape. */
export function missingNode(part: FeedDocument, whole: FeedDocument, place: string): Difference | undefined {
  const keys = new Set(whole.nodes.map(keyOf));
  const node = part.nodes.find((one) => !keys.has(keyOf(one)));
  if (node === undefined) return undefined;
  const other = whole.nodes.find(({ id, url }) => id === node.id && url === node.url);
  return {
    expected: `as in ${place}: ${shownNode(node)}`,
    came: other === undefined ? "no such node" : shownNode(other),
  };
}

/** What the first item gives for which something is found. */
export function firstOf<Item, Found>(
  items: Iterable<Item>,
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyOf({ id, name, url, status }: NodeDocument): string {
  return JSON.stringify([id, name, url, status]);
}

function shownNode({ id, name, url, status }: NodeDocument): string {
  return `id ${id}, name ${quote(name)}, url ${quote(url)}, status ${status}`;
}
