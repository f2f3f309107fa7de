import { stateNames } from "../../../base/text/state-names.ts";
import { all, make } from "./elements.ts";
import type { Filter } from "../../../base/text/search-filter.ts";
import { type Entry, matching, sorted } from "./filter.ts";

interface Row extends Entry {
  readonly element: HTMLElement;
  /** Where the row stands in the order of the page. */
  readonly home: Element;
}

/** A list of mirrors that a filter is applied to. Returns how many match, and how many of those are shown. */
export interface Searched {
  readonly apply: (filter: Filter) => Promise<Found> | Found;
  /** Puts the page back as the host sent it. */
  readonly restore: () => void;
}

/** How many mirrors match, and how many of them are shown. */
export interface Found {
  readonly matches: number;
  readonly shown: number;
}

/** Returns the search of a list whose rows are all on the page. They are hidden, and moved if another order is chosen. */
export function rowSearch(mirrors: HTMLElement): Searched {
  const rows = all("#mirrors [data-item]").map(rowOf);
  const groups = all("#mirrors [data-group]");
  const homes = new Set(rows.map(({ home }) => home));
  const results = make("ul", { className: "results" });

  const restore = (): void => {
    if (results.isConnected || homes.size === 1) for (const { element, home } of rows) home.append(element);
    results.remove();
    mirrors.hidden = false;
  };

  return {
    apply: (filter) => {
      restore();
      const found = new Set(matching(rows, filter));
      for (const row of rows) row.element.hidden = !found.has(row);
      for (const group of groups) group.hidden = group.querySelector("[data-item]:not([hidden])") === null;
      if (filter.sort !== undefined) {
        const ordered = sorted(rows, filter.sort).map(({ element }) => element);
        const [only] = homes;
        if (homes.size === 1 && only !== undefined) only.append(...ordered);
        else {
          results.append(...ordered);
          mirrors.before(results);
          mirrors.hidden = true;
        }
      }
      return { matches: found.size, shown: found.size };
    },
    restore,
  };
}

function rowOf(element: HTMLElement): Row {
  const { states = "", uptime, latency } = element.dataset;
  const place = element.closest<HTMLElement>("[data-place]")?.dataset["place"] ?? "";
  const links = [...element.querySelectorAll("a")].map(({ textContent }) => textContent);
  const own = states.split(" ");
  return {
    element,
    home: element.parentElement ?? element,
    text: [place, ...links].join(" ").toLowerCase(),
    name: links[0] ?? "",
    states: own,
    rank: stateNames.findIndex((state) => own.includes(state)),
    uptime: numberOf(uptime),
    latency: numberOf(latency),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
