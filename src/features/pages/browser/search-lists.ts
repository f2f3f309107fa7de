import { countryName } from "../../layout/country-name.ts";
import { type Filter, type Sort, searchedStates } from "../../layout/search-filter.ts";
import type { IndexedMirror } from "../mirror-answer.ts";
import { addressesIn, locate } from "../pasted-text.ts";
import { all } from "./elements.ts";

export interface SearchedList {
  /** Finds the mirrors that match. Unless `isComplete` is set, `results` may be only the first few. */
  readonly apply: (filter: Filter, isComplete: boolean) => Found;
  /** Undoes what `apply` moved. */
  readonly restore?: () => void;
}

interface Found {
  /** The ids of the mirrors that match. */
  readonly matches: readonly number[];
  /** The rows to show in place of the page's list, if any. */
  readonly results?: readonly HTMLElement[] | undefined;
}

type Entry = Omit<IndexedMirror, "href" | "notice">;

/** Created on first use, because creating these takes long. */
let collator: Intl.Collator | undefined;

/**
 * The orders `state`, `uptime` and `latency` begin with the worst state, the lowest uptime or the lowest latency. In
 * the orders `uptime` and `latency`, mirrors without a value come last, as Infinity. Their difference is NaN, which
 * counts as equal.
 */
const orders: Readonly<Record<Sort, (left: Entry, right: Entry) => number>> = {
  state: (left, right) => rankOf(left) - rankOf(right),
  uptime: (left, right) => uptimeOf(left) - uptimeOf(right),
  latency: ({ latency: left = Infinity }, { latency: right = Infinity }) => left - right,
  name: (left, right) => {
    collator ??= new Intl.Collator(undefined, { numeric: true });
    return collator.compare(left.name, right.name);
  },
};

function rankOf({ states }: Entry): number {
  return searchedStates.findIndex((state) => states.includes(state));
}

function uptimeOf({ states, uptime = Infinity }: Entry): number {
  return states.includes("offline") ? Infinity : uptime;
}

/** Returns the mirror's target, name, URL and country, in lower case. */
function textOf({ target, name, url, country }: Entry): string {
  const place = country === undefined ? "" : countryName(country);
  return [target, name, url, place].join(" ").toLowerCase();
}

/**
 * Returns a function that finds mirrors by words, by addresses in a pasted text or, if neither finds one, by the hosts
 * in it. Sorts only when the order changes, since comparing the names of 40,000 mirrors takes long.
 */
export function searchOf<One extends Entry>(entries: readonly One[]): (filter: Filter) => One[] {
  const texts = new Map(entries.map((entry) => [entry, textOf(entry)]));
  const countries = new Set(entries.map(({ country }) => country?.toLowerCase()));
  let located: ReturnType<typeof locate<One>> | undefined;
  let order: Filter["sort"];
  let ordered = entries;

  const find = (query: string): ((entry: One) => boolean) => {
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    const hasTerm = (entry: One, term: string): boolean =>
      countries.has(term)
        ? entry.country?.toLowerCase() === term
        : texts.get(entry)?.includes(term) || entry.states.includes(term);
    const hasTerms = (entry: One): boolean => terms.every((term) => hasTerm(entry, term));
    const addresses = addressesIn(query);
    if (addresses.length === 0) return hasTerms;
    located ??= locate(entries);
    const exact = new Set(located.mirrorsAt(addresses));
    if (exact.size > 0) return (entry) => exact.has(entry);
    if (entries.some(hasTerms)) return hasTerms;
    const atHosts = new Set(located.mirrorsOfHosts(addresses));
    return (entry) => atHosts.has(entry);
  };

  return ({ query, states, country, sort }) => {
    if (sort !== order) ordered = sort === undefined ? entries : entries.toSorted(orders[sort]);
    order = sort;
    const isFound = find(query);
    return ordered.filter(
      (entry) =>
        isFound(entry) &&
        (country === "" || entry.country === country) &&
        (states.length === 0 || states.some((state) => entry.states.includes(state))),
    );
  };
}

/** Searches the rows of the page. Sorted rows of several lists are shown as results. */
export function rowSearch(): SearchedList {
  const rows = all("#mirrors [data-item]").map(rowOf);
  const search = searchOf(rows);
  const groups = all("#mirrors [data-group]");
  const [home, ...otherHomes] = new Set(rows.map((row) => row.home));
  const isOneList = home?.tagName === "TBODY" || otherHomes.length === 0;
  let isMoved = false;

  const restore = (): void => {
    if (isMoved) for (const row of rows) row.home.append(row.element);
    isMoved = false;
  };

  return {
    apply: (filter) => {
      if (filter.sort === undefined) restore();
      const matches = search(filter);
      const found = matches.map(({ element }) => element);
      const shown = new Set(found);
      // Sets `hidden` only on rows whose visibility changes, because setting it makes the browser lay out the row
      // again.
      for (const { element } of rows)
        if (element.hidden === shown.has(element)) element.hidden = !element.hidden;
      isMoved = filter.sort !== undefined;
      if (isMoved && isOneList) home?.append(...found);
      for (const group of groups) group.hidden = group.querySelector("[data-item]:not([hidden])") === null;
      // Hidden rows stay in the document, because the script that reads a heartbeat looks for them there.
      const hidden = rows.flatMap(({ element }) => (element.hidden ? element : []));
      const results = isMoved && !isOneList ? [...found, ...hidden] : undefined;
      return { matches: matches.map(({ id }) => id), results };
    },
    restore,
  };
}

function rowOf(element: HTMLElement) {
  const { node, states = "", country, uptime, latency } = element.dataset;
  // In a huge table, a mirror that is named by its URL has no other link.
  const [name = "", url = name] = [...element.querySelectorAll<HTMLAnchorElement>(":is(.name, th) a")].map(
    ({ textContent, rel, href }) => (rel === "" ? textContent : href),
  );
  const known = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  return {
    id: Number(node),
    element,
    home: element.parentElement ?? element,
    target: element.closest<HTMLElement>("[data-place]")?.dataset["place"] ?? "",
    name,
    url,
    states: states.split(" "),
    country,
    uptime: known(uptime),
    latency: known(latency),
  };
}
