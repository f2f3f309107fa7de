import { bareUrl } from "../../../base/text/url.ts";
import { stateNames } from "../../../base/text/state-names.ts";
import { make, makeShape } from "./elements.ts";
import { type Filter, formatFilter, type Sort } from "../../../base/text/search-filter.ts";
import { type Entry, matching, sorted } from "./filter.ts";
import type { Found, Searched } from "./rows.ts";
import { words } from "./search-words.ts";

interface Mirror extends Entry {
  readonly id: number;
  readonly url: string;
  /** Its page or section, relative to the folder of the status pages. */
  readonly path: string;
}

const maxShown = 50;
const timeoutMs = 30_000;

/**
 * Returns the search of a list whose rows are not on the page. It reads the index of the feed with the first filter, and
 * shows a limited number of results in place of the list.
 */
export function indexSearch(mirrors: HTMLElement, path: string, place: string): Searched {
  const results = make("ul", { className: "results" });
  const root = new URL("status/", new URL(path, location.href));
  let loading: Promise<readonly Mirror[]> | undefined;
  let orders = new Map<Sort | undefined, readonly Mirror[]>();

  const load = async (): Promise<readonly Mirror[]> => {
    loading ??= fetchIndex(path, place);
    try {
      return await loading;
    } catch (error) {
      // The next key tries again.
      loading = undefined;
      throw error;
    }
  };

  const restore = (): void => {
    results.remove();
    mirrors.hidden = false;
  };

  return {
    apply: async (filter: Filter): Promise<Found> => {
      if (formatFilter(filter) === "") {
        restore();
        return { matches: 0, shown: 0 };
      }
      const all = await load();
      const ordered = orders.get(filter.sort) ?? sorted(all, filter.sort);
      orders.set(filter.sort, ordered);
      const found = matching(ordered, filter);
      const shown = found.slice(0, maxShown);
      results.replaceChildren(...shown.map((mirror) => resultOf(mirror, root)));
      mirrors.before(results);
      mirrors.hidden = true;
      return { matches: found.length, shown: shown.length };
    },
    restore: () => {
      restore();
      // The page has news, so the index has too.
      loading = undefined;
      orders = new Map();
    },
  };
}

/** Returns the mirrors whose path begins with `place`. Throws if the index cannot be fetched or read. */
async function fetchIndex(path: string, place: string): Promise<readonly Mirror[]> {
  const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(timeoutMs) });
  const index: unknown = response.ok ? await response.json() : undefined;
  if (!isIndex(index)) throw new Error("There is no index.");
  return index.targets
    .filter(([target]) => target.startsWith(place))
    .flatMap(([target, ...nodes]) => {
      const hasPages = nodes.length > index.sections;
      return nodes.map(([id, label, url, states, uptime, latency]): Mirror => {
        const name = label === "" ? bareUrl(url) : label;
        const own = states.split(" ");
        return {
          id,
          name,
          url,
          path: hasPages ? `${target}/${id}/` : `${target}/#node-${id}`,
          text: `${target} ${name} ${url}`.toLowerCase(),
          states: own,
          rank: stateNames.findIndex((state) => own.includes(state)),
          uptime: uptime ?? undefined,
          latency: latency ?? undefined,
        };
      });
    });
}

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
];

function isIndex(value: unknown): value is Index {
  return typeof value === "object" && value !== null && "targets" in value && Array.isArray(value.targets);
}

function resultOf({ id, name, url, path, states, uptime, latency }: Mirror, root: URL): HTMLElement {
  const verdict = (["offline", "unknown"] as const).find((one) => states.includes(one)) ?? "online";
  const texts = stateNames.filter((state) => states.includes(state)).map((state) => words.states[state]);
  const link = make("a", { href: new URL(path, root).href }, make("bdi", {}, name));
  const row = make(
    "li",
    { className: "node" },
    makeShape(verdict),
    make(
      "div",
      { className: "name" },
      link,
      make("a", { className: "url", href: url, rel: "noreferrer" }, url),
    ),
    make("p", { className: "notes" }, texts.join(" · ")),
    make(
      "span",
      { className: "ratio" },
      uptime === undefined ? "–" : `${words.percent(uptime)} `,
      make("small", {}, uptime === undefined ? "" : words.uptime),
    ),
    make("span", { className: "latency" }, latency === undefined ? "" : `${latency} ms`),
  );
  row.dataset["node"] = String(id);
  return row;
}
