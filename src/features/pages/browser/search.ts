import { formatCount, formatInteger } from "../../../core/base/text/count.ts";
import { withoutUserInfo } from "../../../core/base/text/url.ts";
import { countryName } from "../../layout/country-name.ts";
import {
  type Filter,
  formatFilter,
  noFilter,
  parseFilter,
  type Sort,
  sorts,
  searchedStates,
  stateWords,
} from "../../layout/search-filter.ts";
import { addressesIn } from "../pasted-text.ts";
import { first, focusOnSlash, make } from "./elements.ts";
import type * as SearchIndex from "./search-index.ts";
import { rowSearch, type SearchedList } from "./search-lists.ts";

let filter = parseFilter(location.search);
let isComplete = false;
let searched: SearchedList | undefined;
/** What `searchSlot` in `src/features/pages/mirror-list.tsx` writes. */
let source: DOMStringMap = {};
/** Loaded when it is needed: for answers, and on pages that don't have the mirrors' rows. */
let searchIndex: typeof SearchIndex | undefined;
/** The number of the newest search. Results of older searches are not shown. */
let newest = 0;

const label = "Paste what failed, or find a mirror";
const input = make("input", {
  type: "search",
  ariaLabel: label,
  placeholder: label,
  autocomplete: "off",
  spellcheck: false,
});
const chips = make("div", { className: "chips", role: "group", ariaLabel: "Show only these states" });
const sortTexts: Readonly<Record<Sort, string>> = {
  state: "worst state",
  uptime: "lowest uptime",
  latency: "lowest latency",
  name: "name",
};
const sort = make(
  "select",
  {},
  new Option("listed order", "page"),
  ...sorts.map((name) => new Option(sortTexts[name], name)),
);
const country = make("select");
const countryLabel = make("label", {}, "Country ", country);
const output = make("output");
const showAll = make("button", { type: "button" }, "Show all");
const clear = make("button", { type: "button", className: "clear" }, "Clear");
const form = make(
  "search",
  {},
  input,
  countryLabel,
  make("label", {}, "Sort by ", sort),
  chips,
  make("p", {}, output, " ", showAll, " ", clear),
);

const results = make("ul", { className: "results" });
const answer = make("div", { className: "answer", role: "status" });
/** Set until the answer to what the reader asked is in view. A refresh of the page doesn't scroll. */
let isAwaited = true;
/** Shows times and copy buttons in what the search has added. */
let finish = (): void => undefined;

/**
 * Applies the filter of the URL, and waits for what it finds. Calls `complete` after the search has added times and texts
 * to copy.
 */
export async function addSearch(complete: () => void): Promise<void> {
  finish = complete;
  const slot = first("#search");
  if (slot === undefined) return;
  source = slot.dataset;
  searched = undefined;
  showChips();
  showCountries();
  if (!form.isConnected) slot.append(form, answer);
  input.value = filter.query;
  sort.value = filter.sort ?? "page";
  await apply();
}

/** Takes long on a page of a thousand mirrors, so it is called only when there is something to find. */
async function prepare(): Promise<SearchedList> {
  const { index = "", place } = source;
  if (place === undefined) return rowSearch();
  searchIndex ??= await import("./search-index.ts");
  return searchIndex.indexSearch(index, place);
}

export function removeSearch(): void {
  searched?.restore?.();
  showResults();
  searchIndex?.forgetIndex();
}

/** Shows rows in place of the page's list, or else the list. */
function showResults(rows?: readonly HTMLElement[]): void {
  const mirrors = first("#mirrors");
  if (mirrors === undefined) return;
  mirrors.hidden = rows !== undefined;
  results.replaceChildren(...(rows ?? []));
  if (rows === undefined) results.remove();
  else mirrors.before(results);
}

/** Answers a pasted text, and a search that finds one mirror. */
async function showAnswer(ids: readonly number[], number: number): Promise<void> {
  const isPasted = addressesIn(filter.query).length > 0;
  const isAsked = filter.query !== "" && ids.length > 0 && (isPasted || ids.length === 1);
  const cards = isAsked ? await answersAbout(ids) : [];
  if (number !== newest) return;
  answer.replaceChildren(...cards);
  finish();
  if (cards.length === 0 || !isAwaited) return;
  isAwaited = false;
  answer.scrollIntoView({ block: "nearest" });
}

async function answersAbout(ids: readonly number[]): Promise<readonly (string | Node)[]> {
  try {
    searchIndex ??= await import("./search-index.ts");
    return await searchIndex.answersAbout(ids, source["index"] ?? "");
  } catch {
    // The next key press tries again.
    return ["The answer could not be loaded."];
  }
}

/** Shows a chip for each state, from counts such as `offline:2 behind:1`. */
function showChips(): void {
  const { counts = "" } = source;
  const known = new Map([...counts.matchAll(/(\w+):(\d+)/g)].map(([, state, count]) => [state, count]));
  const shown = searchedStates.filter((state) => known.has(state) || filter.states.includes(state));
  const focused = document.activeElement?.getAttribute("value");
  const made = shown.map((state) => {
    const number = make("small", {}, known.get(state) ?? "0");
    return make("button", { type: "button", value: state }, stateWords[state], " ", number);
  });
  chips.replaceChildren(...made);
  for (const chip of chips.querySelectorAll("button")) if (chip.value === focused) chip.focus();
}

/** Fills the list of countries from counts such as `DE:12 FR:3`. */
function showCountries(): void {
  const { countries: counts = "" } = source;
  if (country.dataset["counts"] === counts) return;
  country.dataset["counts"] = counts;
  const options = [...counts.matchAll(/(..):(\d+)/g)].map(
    ([, code = "", count = ""]) => new Option(`${countryName(code)} (${count})`, code),
  );
  country.replaceChildren(new Option("all", ""), ...options);
  country.value = filter.country;
  countryLabel.hidden = counts === "";
}

async function apply(): Promise<void> {
  newest += 1;
  const number = newest;
  const isFiltering = formatFilter(filter) !== "";
  for (const chip of chips.querySelectorAll("button"))
    chip.ariaPressed = String(filter.states.includes(chip.value));
  clear.hidden = !isFiltering;
  document.documentElement.toggleAttribute("data-filtered", isFiltering);
  try {
    if (isFiltering && output.value === "") output.value = "Loading the mirrors…";
    const list = searched ?? (isFiltering ? await prepare() : undefined);
    if (number !== newest) return;
    searched = list;
    const { matches, results: rows } = list?.apply(filter, isComplete) ?? { matches: [] };
    showResults(rows);
    const count = matches.length;
    const shown = rows?.length ?? count;
    showAll.hidden = shown >= count;
    if (!isFiltering) output.value = "";
    else if (count === 0) output.value = nothingFound();
    else if (shown < count) output.value = `${formatInteger(shown)} of ${formatInteger(count)} shown`;
    else output.value = `${formatInteger(count)} of ${formatCount(Number(source["total"]), "mirror")}`;
    await showAnswer(matches, number);
  } catch {
    // The next key press tries again.
    if (number === newest) output.value = "The mirrors could not be loaded.";
  }
}

function nothingFound(): string {
  const [address] = addressesIn(filter.query);
  return address === undefined ? "No mirrors match." : `No mirror here is at ${address.host}.`;
}

function change(next: Partial<Filter>): void {
  filter = { ...filter, ...next };
  isComplete = false;
  isAwaited = true;
  // A pasted URL can have a password, which must not get into a link.
  const shared = formatFilter({ ...filter, query: withoutUserInfo(filter.query) });
  history.replaceState(null, "", `${location.pathname}${shared}${location.hash}`);
  void apply();
}

input.addEventListener("input", () => {
  change({ query: input.value });
});

/** Without this, the browser would join the lines of what is pasted. */
input.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!/\n/.test(text.trim())) return;
  event.preventDefault();
  const line = text.replace(/\s+/g, " ").trim();
  input.setRangeText(line, input.selectionStart ?? 0, input.selectionEnd ?? 0, "end");
  change({ query: input.value });
});

sort.addEventListener("change", () => {
  change({ sort: sorts.find((name) => name === sort.value) });
});

country.addEventListener("change", () => {
  change({ country: country.value });
});

showAll.addEventListener("click", () => {
  isComplete = true;
  void apply();
});

chips.addEventListener("click", ({ target }) => {
  const state = target instanceof Element ? target.closest("button")?.value : undefined;
  if (state === undefined) return;
  const others = filter.states.filter((one) => one !== state);
  change({ states: others.length < filter.states.length ? others : [...others, state] });
});

clear.addEventListener("click", () => {
  change(noFilter);
  input.value = "";
  country.value = "";
  sort.selectedIndex = 0;
  input.focus();
});

focusOnSlash(input);
