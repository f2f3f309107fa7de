import type { Filter, Sort } from "../../../base/text/search-filter.ts";

/** A mirror as it is searched and sorted. */
export interface Entry {
  /** Its place, name and URL in lower case. */
  readonly text: string;
  readonly name: string;
  /** Its states, the worst first. */
  readonly states: readonly string[];
  /** The rank of its worst state. 0 is the worst. */
  readonly rank: number;
  readonly uptime: number | undefined;
  readonly latency: number | undefined;
}

/** Returns the entries that have every word of the query and one of the states. */
export function matching<One extends Entry>(entries: readonly One[], { query, states }: Filter): One[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(
    (entry) =>
      words.every((word) => entry.text.includes(word)) &&
      (states.length === 0 || states.some((state) => entry.states.includes(state))),
  );
}

const collator = new Intl.Collator(undefined, { numeric: true });

const orders: Readonly<Record<Sort, (left: Entry, right: Entry) => number>> = {
  state: (left, right) => left.rank - right.rank,
  uptime: (left, right) => compareKnown(left.uptime, right.uptime),
  latency: (left, right) => compareKnown(left.latency, right.latency),
  name: (left, right) => collator.compare(left.name, right.name),
};

/** Returns the entries in an order: the worst state, the lowest uptime or the lowest latency first. Unknown ones are last. */
export function sorted<One extends Entry>(entries: readonly One[], sort: Sort | undefined): readonly One[] {
  return sort === undefined ? entries : entries.toSorted(orders[sort]);
}

function compareKnown(left: number | undefined, right: number | undefined): number {
  return (left ?? Infinity) === (right ?? Infinity) ? 0 : (left ?? Infinity) - (right ?? Infinity);
}
