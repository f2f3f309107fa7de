import { formatCount, formatInteger } from "../../../core/base/text/count.ts";
import {
  type Filter,
  formatFilter,
  noFilter,
  parseFilter,
  type Sort,
  sorts,
  stateNames,
  stateWords,
} from "../../layout/search-filter.ts";
import { first, focusOnSlash, make } from "./elements.ts";
import { indexSearch, rowSearch, type SearchedList } from "./search-lists.ts";

let filter = parseFilter(location.search);
let isComplete = false;
let searched: SearchedList | undefined;
let total = 0;
/** The number of the newest search. Results of older searches are not shown. */
let newest = 0;

const label = "Find mirrors by name or URL";
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

export function addSearch(): void {
  const slot = first("#search");
  const mirrors = first("#mirrors");
  if (slot === undefined || mirrors === undefined) return;
  const { index, place: start = "", counts = "", countries = "", total: all } = slot.dataset;
  total = Number(all);
  searched = index === undefined ? rowSearch(mirrors) : indexSearch(mirrors, index, start);
  showChips(counts);
  showCountries(countries);
  if (!form.isConnected) slot.append(form);
  input.value = filter.query;
  sort.selectedIndex = filter.sort === undefined ? 0 : sorts.indexOf(filter.sort) + 1;
  void apply();
}

export function removeSearch(): void {
  searched?.restore();
}

/** Shows a chip for each state, from counts such as `offline:2 behind:1`. */
function showChips(counts: string): void {
  const known = new Map([...counts.matchAll(/(\w+):(\d+)/g)].map(([, state, count]) => [state, count]));
  const shown = stateNames.filter((state) => known.has(state) || filter.states.includes(state));
  const focused = document.activeElement?.getAttribute("value");
  const made = shown.map((state) => {
    const number = make("small", {}, known.get(state) ?? "0");
    return make("button", { type: "button", value: state }, stateWords[state], " ", number);
  });
  chips.replaceChildren(...made);
  for (const chip of chips.querySelectorAll("button")) if (chip.value === focused) chip.focus();
}

/** Fills the list of countries from counts such as `DE:12 FR:3`. */
function showCountries(counts: string): void {
  if (country.dataset["counts"] === counts) return;
  country.dataset["counts"] = counts;
  const names = new Intl.DisplayNames("en-GB", { type: "region" });
  const options = [...counts.matchAll(/(..):(\d+)/g)].map(
    ([, code = "", count = ""]) => new Option(`${names.of(code) ?? code} (${count})`, code),
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
  if (searched === undefined) return;
  try {
    const answer = searched.apply(filter, isComplete);
    if (answer instanceof Promise && isFiltering && output.value === "")
      output.value = "Loading the mirrors…";
    const { matches, shown } = await answer;
    if (number !== newest) return;
    showAll.hidden = shown >= matches;
    if (!isFiltering) output.value = "";
    else if (matches === 0) output.value = "No mirrors match.";
    else if (shown < matches) output.value = `${formatInteger(shown)} of ${formatInteger(matches)} shown`;
    else output.value = `${formatInteger(matches)} of ${formatCount(total, "mirror")}`;
  } catch {
    // The next key press tries again.
    if (number === newest) output.value = "The mirrors could not be loaded.";
  }
}

function change(next: Partial<Filter>): void {
  filter = { ...filter, ...next };
  isComplete = false;
  history.replaceState(null, "", `${location.pathname}${formatFilter(filter)}${location.hash}`);
  void apply();
}

input.addEventListener("input", () => {
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
