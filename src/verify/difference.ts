import { quote } from "../text/quote.ts";
import type { NodeDocument } from "../render/network.ts";
import type { FeedDocument, TargetNodes } from "./document.ts";
import type { Finding } from "./severity.ts";

/** The first difference between two documents, safe to print. */
export type Difference = Omit<Finding, "rule">;

/** Returns the first difference between the targets that a document lists and the expected ones. */
export function differenceOfPlaces(
  path: string,
  expected: readonly string[],
  actual: readonly TargetNodes[],
): Difference | undefined {
  return differenceOf(
    `targets of ${path}`,
    expected,
    actual.map(({ place }) => place),
    quote,
    quote,
  );
}

/** Returns the first difference between targets, in their names or their nodes. */
export function differenceOfTargets(
  expected: readonly TargetNodes[],
  actual: readonly TargetNodes[],
  path: string,
): Difference | undefined {
  return (
    differenceOfPlaces(
      path,
      expected.map(({ place }) => place),
      actual,
    ) ??
    firstOf([...expected.entries()], ([index, { place, network }]) =>
      differenceOfNodes(place, network, actual[index]?.network ?? []),
    )
  );
}

/** Returns the first difference between the nodes of a target. */
export function differenceOfNodes(
  place: string,
  expected: readonly NodeDocument[],
  actual: readonly NodeDocument[],
): Difference | undefined {
  return differenceOf(`nodes of ${place}`, expected, actual, keyOf, shownNode);
}

/** Returns the first difference between two lists. */
export function differenceOf<Item>(
  what: string,
  expected: readonly Item[],
  actual: readonly Item[],
  key: (item: Item) => string,
  shown: (item: Item) => string,
): Difference | undefined {
  const longer = expected.length > actual.length ? expected : actual;
  const at = (items: readonly Item[], index: number): readonly Item[] => items.slice(index, index + 1);
  const index = longer.findIndex((_, number) => {
    return at(expected, number).map(key).join() !== at(actual, number).map(key).join();
  });
  if (index < 0) return undefined;
  const describe = (items: readonly Item[]): string => at(items, index).map(shown).join() || "nothing more";
  return { expected: `${what}, number ${index + 1}: ${describe(expected)}`, actual: describe(actual) };
}

/** Returns a node of a part that its whole does not have, whatever the shape of the whole. */
export function missingNode(part: FeedDocument, whole: FeedDocument, place: string): Difference | undefined {
  const keys = new Set(whole.nodes.map(keyOf));
  const node = part.nodes.find((one) => !keys.has(keyOf(one)));
  if (node === undefined) return undefined;
  const other = whole.nodes.find(({ id, url }) => id === node.id && url === node.url);
  return {
    expected: `as in ${place}: ${shownNode(node)}`,
    actual: other === undefined ? "no such node" : shownNode(other),
  };
}

/** Returns the first result that is not undefined. */
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
