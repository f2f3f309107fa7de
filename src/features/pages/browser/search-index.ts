import { percent } from "../../../core/base/text/count.ts";
import { bareUrl, nameWithUrl } from "../../../core/base/text/url.ts";
import { mirrorStates } from "../../../core/verdict/mirror-state.ts";
import { formatFilter, stateNames, stateWords } from "../../layout/search-filter.ts";
import { stateShapes } from "../../layout/shapes.ts";
import type { IndexedNotice, IndexedMirror, MirrorDetails } from "../mirror-answer.ts";
import { answerCards } from "./answer-card.ts";
import { make, makeShape } from "./elements.ts";
import { type Entry, type SearchedList, searchOf, textFor } from "./search-lists.ts";

/** The content of `search.json`: see `searchIndex` in `src/features/pages/search-document.ts`. */
interface Index {
  readonly sections: number;
  readonly notices: readonly IndexedNotice[];
  readonly targets: readonly (readonly [target: string, ...IndexedNode[]])[];
}

type IndexedNode = readonly [
  id: number,
  name: string,
  url: string,
  states: string,
  uptime: number | null,
  latency: number | null,
  country?: string | null,
  details?: MirrorDetails,
];

let loading: Promise<readonly IndexedMirror[]> | undefined;

/** Fetches the index once. After a failure, the next call tries again. */
function loadIndex(path: string): Promise<readonly IndexedMirror[]> {
  loading ??= fetchIndex(path);
  loading.catch(forgetIndex);
  return loading;
}

/** If the page has changed, so has the index, and the next search must fetch it again. */
export function forgetIndex(): void {
  loading = undefined;
}

/** Returns cards about the mirrors with these ids. */
export async function answersAbout(ids: readonly number[], path: string): Promise<HTMLElement[]> {
  const all = await loadIndex(path);
  const found = new Set(ids);
  return answerCards(
    all.filter(({ id }) => found.has(id)),
    all,
  );
}

/** Throws if the index cannot be fetched or read. Each target's mirrors are in the order of its mirror list. */
async function fetchIndex(path: string): Promise<readonly IndexedMirror[]> {
  const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(30_000) });
  const index: unknown = response.ok ? await response.json() : undefined;
  if (!isIndex(index)) throw new Error("The search index is missing.");
  const root = new URL(".", new URL(path, location.href)).href;
  const notices = index.notices.map((notice) => ({ ...notice, href: root + notice.href }));
  return index.targets.flatMap(([target, ...nodes]) =>
    nodes.map(([id, label, url, states, uptime, latency, country, details = {}]): IndexedMirror => {
      const { notice, ...known } = details;
      return {
        ...known,
        id,
        target,
        name: label === "" ? bareUrl(url) : label,
        url,
        href: `${root}status/${target}/${nodes.length > index.sections ? `${id}/` : `#node-${id}`}`,
        states: states.split(" "),
        country: country ?? undefined,
        uptime: uptime ?? undefined,
        latency: latency ?? undefined,
        notice: notice === undefined ? undefined : notices[notice],
      };
    }),
  );
}

function isIndex(value: unknown): value is Index {
  return typeof value === "object" && value !== null && "targets" in value && Array.isArray(value.targets);
}

type Mirror = IndexedMirror & Entry;

const maxShown = 50;

/**
 * Searches the feed's index, on a page that doesn't have the mirrors' rows. Shows the results in place of the page's
 * list.
 */
export function indexSearch(mirrors: HTMLElement, path: string, place: string): SearchedList {
  const results = make("ul", { className: "results" });
  let search: ReturnType<typeof searchOf<Mirror>> | undefined;

  const showList = (): void => {
    results.remove();
    mirrors.hidden = false;
  };

  return {
    apply: async (filter, isComplete) => {
      if (formatFilter(filter) === "") {
        showList();
        return { matches: [], shown: 0 };
      }
      search ??= searchOf(entriesOf(await loadIndex(path), place));
      const found = search(filter);
      const shown = isComplete ? found : found.slice(0, maxShown);
      results.replaceChildren(...shown.map(resultOf));
      mirrors.before(results);
      mirrors.hidden = true;
      return { matches: found.map(({ id }) => id), shown: shown.length };
    },
    restore: () => {
      showList();
      search = undefined;
    },
  };
}

function entriesOf(mirrors: readonly IndexedMirror[], place: string): Mirror[] {
  return mirrors
    .filter(({ target }) => target.startsWith(place))
    .map((mirror) => ({
      ...mirror,
      text: textFor(mirror.target, [mirror.name, mirror.url], mirror.country),
    }));
}

function resultOf({ id, name, url, href, states, country = "", uptime, latency }: Mirror): HTMLElement {
  const known = stateNames.filter((name) => states.includes(name));
  const state = mirrorStates.find((name) => states.includes(name)) ?? "unknown";
  const whole = nameWithUrl(name, url);
  const link = make("a", { href, dir: "auto" }, whole ?? name);
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
