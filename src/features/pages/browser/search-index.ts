import { formatCount, formatInteger, percent } from "../../../core/base/text/count.ts";
import { nameWithUrl } from "../../../core/base/text/url.ts";
import { mirrorStates, stateNames } from "../../../core/verdict/mirror-state.ts";
import { formatFilter, searchedStates, stateWords } from "../../layout/search-filter.ts";
import { stateShapes } from "../../layout/shapes.ts";
import { answerAbout, type Index, type IndexedMirror, mirrorsOf, stateIn } from "../mirror-answer.ts";
import { first, make, makeShape } from "./elements.ts";
import { type SearchedList, searchOf } from "./search-lists.ts";

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

/** If more mirrors are found, they are counted instead. */
const maxCards = 3;

/** Returns a card for each mirror with one of these ids, or one that counts them. */
export async function answersAbout(ids: readonly number[], path: string): Promise<HTMLElement[]> {
  const all = await loadIndex(path);
  const asked = new Set(ids);
  const found = all.filter(({ id }) => asked.has(id));
  return found.length > maxCards ? [countCard(found)] : found.map((mirror) => answerCard(mirror, all));
}

function countCard(found: readonly IndexedMirror[]): HTMLElement {
  const counts = mirrorStates.flatMap((state) => {
    const count = found.filter(({ states }) => states.includes(state)).length;
    return count === 0 ? [] : [`${formatInteger(count)} ${stateNames[state]}`];
  });
  const heading = make("b", {}, `${formatCount(found.length, "mirror")}: ${counts.join(", ")}.`);
  return make("div", {}, make("p", {}, heading));
}

function answerCard(mirror: IndexedMirror, all: readonly IndexedMirror[]): HTMLElement {
  const isExpired = document.documentElement.hasAttribute("data-stale");
  const { state, before, verdict, facts, advice, instead } = answerAbout(mirror, all, isExpired);
  const name = make("a", { href: mirror.href }, make("bdi", {}, mirror.name));
  const since = mirror.since === undefined ? [] : [", ", timeOf(mirror.since, "since")];
  const heading = make("b", {}, before, name, ` ${verdict}`, ...since, ".");
  const card = make("div", {}, make("p", {}, makeShape(stateShapes[state]), heading));
  const run = first(".run time");
  const checked = run instanceof HTMLTimeElement ? [["Checked ", timeOf(run.dateTime)]] : [];
  const parts: (string | Node)[][] = [...(isExpired ? [] : checked), ...facts.map((fact) => [fact])];
  card.append(make("p", {}, ...parts.flatMap((part, index) => (index === 0 ? part : [" · ", ...part]))));
  if (mirror.notice !== undefined) {
    const { title, href, next } = mirror.notice;
    const due = next === undefined ? [] : [" · next update ", timeOf(next)];
    card.append(make("p", {}, "The operator: ", make("a", { href }, make("bdi", {}, title)), ...due));
  }
  if (instead !== undefined) {
    const code = make("code", {}, instead.url);
    code.dataset["copy"] = "";
    card.append(make("p", {}, `${advice}: `, code));
  }
  return card;
}

/** The script shows it relative to now. */
function timeOf(dateTime: string, className = ""): HTMLTimeElement {
  return make("time", { dateTime, className });
}

/** Throws if the index cannot be fetched or read. */
async function fetchIndex(path: string): Promise<readonly IndexedMirror[]> {
  const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(30_000) });
  const index: unknown = response.ok ? await response.json() : undefined;
  if (!isIndex(index)) throw new Error("The search index is missing.");
  return mirrorsOf(index, new URL(".", new URL(path, location.href)).href);
}

function isIndex(value: unknown): value is Index {
  return typeof value === "object" && value !== null && "targets" in value && Array.isArray(value.targets);
}

const maxShown = 50;

/** Searches the feed's index, on a page that doesn't have the mirrors' rows. */
export async function indexSearch(path: string, place: string): Promise<SearchedList> {
  const mirrors = (await loadIndex(path)).filter(({ target }) => target.startsWith(place));
  // Created on first use, because of many key presses while the index loads only the last one counts.
  let search: ReturnType<typeof searchOf<IndexedMirror>> | undefined;
  return {
    apply: (filter, isComplete) => {
      if (formatFilter(filter) === "") return { matches: [] };
      search ??= searchOf(mirrors);
      const found = search(filter);
      const shown = isComplete ? found : found.slice(0, maxShown);
      return { matches: found.map(({ id }) => id), results: shown.map(resultOf) };
    },
  };
}

function resultOf(mirror: IndexedMirror): HTMLElement {
  const { id, name, url, href, states, country = "", uptime, latency } = mirror;
  const known = searchedStates.filter((state) => states.includes(state));
  const whole = nameWithUrl(name, url);
  const link = make("a", { href, dir: "auto" }, whole ?? name);
  const [className, text] = whole === undefined ? ["url", url] : ["go", "↗"];
  const urlLink = make("a", { className, href: url, rel: "noreferrer", ariaLabel: url }, text);
  const row = make(
    "li",
    { className: "node" },
    makeShape(stateShapes[stateIn(mirror)]),
    make("div", { className: "name" }, link, "\u00a0", urlLink),
    make("span", { className: "country" }, country),
    make("p", { className: "notes" }, make("b", {}, known.map((state) => stateWords[state]).join(" · "))),
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
