import { percent } from "../../../core/base/text/count.ts";
import { bareUrl, nameWithUrl } from "../../../core/base/text/url.ts";
import { mirrorStates } from "../../../core/verdict/mirror-state.ts";
import { type Filter, formatFilter, type Sort, stateNames, stateWords } from "../../layout/search-filter.ts";
import { stateShapes } from "../../layout/shapes.ts";
import { all, make, makeShape } from "./elements.ts";

export interface SearchedList {
  /** Shows the mirrors that match. Unless `isComplete` is set, it may show only the first few. */
  readonly apply: (filter: Filter, isComplete: boolean) => Promise<Found> | Found;
  readonly restore: () => void;
}

interface Found {
  readonly matches: number;
  readonly shown: number;
}

interface Entry {
  /** The mirror's target, name and URL, in lower case. */
  readonly text: string;
  readonly name: string;
  readonly states: readonly string[];
  readonly country: string | undefined;
  readonly uptime: number | undefined;
  readonly latency: number | undefined;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * The orders `state`, `uptime` and `latency` begin with the worst state, the lowest uptime or the lowest latency. In
 * the orders `uptime` and `latency`, mirrors without a value come last.
 */
const orders: Readonly<Record<Sort, (left: Entry, right: Entry) => number>> = {
  state: (left, right) => rankOf(left) - rankOf(right),
  uptime: (left, right) => compareKnown(uptimeOf(left), uptimeOf(right)),
  latency: (left, right) => compareKnown(left.latency, right.latency),
  name: (left, right) => collator.compare(left.name, right.name),
};

function rankOf({ states }: Entry): number {
  return stateNames.findIndex((state) => states.includes(state));
}

function uptimeOf({ states, uptime }: Entry): number | undefined {
  return states.includes("offline") ? undefined : uptime;
}

function compareKnown(left = Infinity, right = Infinity): number {
  return left === right ? 0 : left - right;
}

/** Sorts only when the order changes, since comparing the names of 40,000 mirrors takes long. */
function searchOf<One extends Entry>(entries: readonly One[]): (filter: Filter) => One[] {
  let order: Filter["sort"];
  let ordered = entries;
  return ({ query, states, country, sort }) => {
    if (sort !== order) ordered = sort === undefined ? entries : entries.toSorted(orders[sort]);
    order = sort;
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    return ordered.filter(
      (entry) =>
        terms.every((term) => entry.text.includes(term)) &&
        (country === "" || entry.country === country) &&
        (states.length === 0 || states.some((state) => entry.states.includes(state))),
    );
  };
}

interface Row extends Entry {
  readonly element: HTMLElement;
  readonly home: Element;
}

export function rowSearch(mirrors: HTMLElement): SearchedList {
  const rows = all("#mirrors [data-item]").map(rowOf);
  const search = searchOf(rows);
  const groups = all("#mirrors [data-group]");
  const [home, ...otherHomes] = new Set(rows.map((row) => row.home));
  const results = make("ul", { className: "results" });
  let isMoved = false;

  const restore = (): void => {
    if (isMoved) for (const row of rows) row.home.append(row.element);
    isMoved = false;
    results.remove();
    mirrors.hidden = false;
  };

  return {
    apply: (filter) => {
      if (filter.sort === undefined) restore();
      const found = search(filter).map(({ element }) => element);
      const shown = new Set(found);
      // Sets `hidden` only on rows whose visibility changes, because setting it makes the browser lay out the row
      // again.
      for (const { element } of rows)
        if (element.hidden === shown.has(element)) element.hidden = !element.hidden;
      for (const group of groups) group.hidden = group.querySelector("[data-item]:not([hidden])") === null;
      if (filter.sort !== undefined) {
        isMoved = true;
        if (otherHomes.length === 0) home?.append(...found);
        else {
          results.append(...found);
          mirrors.before(results);
          mirrors.hidden = true;
        }
      }
      return { matches: found.length, shown: found.length };
    },
    restore,
  };
}

function rowOf(element: HTMLElement): Row {
  const { states = "", country, uptime, latency } = element.dataset;
  const place = element.closest<HTMLElement>("[data-place]")?.dataset["place"] ?? "";
  const links = [...element.querySelectorAll("a")].map(({ textContent, rel, href }) =>
    rel === "" ? textContent : `${textContent} ${href}`,
  );
  const known = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  return {
    element,
    home: element.parentElement ?? element,
    text: [place, ...links].join(" ").toLowerCase(),
    name: links[0] ?? "",
    states: states.split(" "),
    country,
    uptime: known(uptime),
    latency: known(latency),
  };
}

interface Mirror extends Entry {
  readonly id: number;
  readonly url: string;
  /** The mirror's page or section, relative to `status/`. */
  readonly path: string;
}

const maxShown = 50;

/**
 * Searches the feed's index, on a page that doesn't have the mirrors' rows. Shows the results in place of the page's
 * list.
 */
export function indexSearch(mirrors: HTMLElement, path: string, place: string): SearchedList {
  const results = make("ul", { className: "results" });
  const root = new URL("status/", new URL(path, location.href));
  let loading: Promise<ReturnType<typeof searchOf<Mirror>>> | undefined;

  const showList = (): void => {
    results.remove();
    mirrors.hidden = false;
  };

  return {
    apply: async (filter, isComplete) => {
      if (formatFilter(filter) === "") {
        showList();
        return { matches: 0, shown: 0 };
      }
      loading ??= fetchIndex(path, place).then(searchOf);
      // After a failure, the next key press tries again.
      loading.catch(() => (loading = undefined));
      const found = (await loading)(filter);
      const shown = isComplete ? found : found.slice(0, maxShown);
      results.replaceChildren(...shown.map((mirror) => resultOf(mirror, root)));
      mirrors.before(results);
      mirrors.hidden = true;
      return { matches: found.length, shown: shown.length };
    },
    restore: () => {
      showList();
      // If the page has changed, so has the index, and the next search must fetch it again.
      loading = undefined;
    },
  };
}

/** The content of `search.json`: see `searchIndex` in `src/features/pages/mirror-list.tsx`. */
interface Index {
  readonly sections: number;
  readonly targets: readonly (readonly [target: string, ...IndexedNode[]])[];
}

type IndexedNode = readonly [
  id: number,
  name: string,
  url: string,
  states: string,
  uptime: number | null,
  latency: number | null,
  country?: string,
];

/** Throws if the index cannot be fetched or read. */
async function fetchIndex(path: string, place: string): Promise<readonly Mirror[]> {
  const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(30_000) });
  const index: unknown = response.ok ? await response.json() : undefined;
  if (!isIndex(index)) throw new Error("The search index is missing.");
  return index.targets
    .filter(([target]) => target.startsWith(place))
    .flatMap(([target, ...nodes]) =>
      nodes.map(([id, label, url, states, uptime, latency, country]): Mirror => {
        const name = label === "" ? bareUrl(url) : label;
        return {
          id,
          name,
          url,
          path: nodes.length > index.sections ? `${target}/${id}/` : `${target}/#node-${id}`,
          text: `${target} ${name} ${url}`.toLowerCase(),
          states: states.split(" "),
          country,
          uptime: uptime ?? undefined,
          latency: latency ?? undefined,
        };
      }),
    );
}

function isIndex(value: unknown): value is Index {
  return typeof value === "object" && value !== null && "targets" in value && Array.isArray(value.targets);
}

function resultOf(
  { id, name, url, path, states, country = "", uptime, latency }: Mirror,
  root: URL,
): HTMLElement {
  const known = stateNames.filter((name) => states.includes(name));
  const state = mirrorStates.find((name) => states.includes(name)) ?? "unknown";
  const whole = nameWithUrl(name, url);
  const link = make("a", { href: new URL(path, root).href, dir: "auto" }, whole ?? name);
  const [className, text] = whole === undefined ? ["url", url] : ["go", "↗"];
  const urlLink = make("a", { className, href: url, rel: "noreferrer", ariaLabel: url }, text);
  const row = make(
    "li",
    { className: "node" },
    makeShape(stateShapes[state]),
    make("div", { className: "name" }, link, "\u00a0", urlLink),
    make("span", { className: "country" }, country),
    make("p", { className: "notes" }, make("b", {}, known.map((name) => stateWords[name]).join(" · "))),
    make(
      "span",
      { className: "ratio" },
      uptime === undefined ? "–" : `${percent(uptime)} `,
      make("small", {}, uptime === undefined ? "" : "uptime"),
    ),
    make("span", { className: "latency" }, latency === undefined ? "" : `${latency} ms`),
  );
  row.dataset["node"] = String(id);
  return row;
}
