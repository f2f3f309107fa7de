import { all, first } from "./elements.ts";
import { words } from "./words.ts";

/** Shorter lists are read faster than searched. */
const minItems = 8;

const form = document.createElement("search");
const input = document.createElement("input");
const output = document.createElement("output");
form.className = "search";
form.append(input, output);
input.type = "search";
input.ariaLabel = input.placeholder = words.search;

let wasSearching = false;
let filter = (): void => undefined;

/**
 * Adds a search box above a long list of the page. It filters on every key, and `/` moves to it. The search stays when
 * the content is replaced.
 */
export function addSearch(): void {
  const list = first(".projects");
  const items = all("[data-item]");
  if (list === undefined || items.length < minItems) return;
  const texts = items.map((item) => item.textContent.toLowerCase());
  list.before(form);
  filter = (): void => {
    const terms = input.value.toLowerCase().trim().split(/\s+/);
    const isSearching = terms[0] !== "";
    let found = 0;
    items.forEach((item, index) => {
      item.hidden = !terms.every((term) => texts[index]?.includes(term));
      if (!item.hidden) found += 1;
    });
    for (const group of all("[data-group]"))
      group.hidden = isSearching && group.querySelector("[data-item]:not([hidden])") === null;
    // Details open during a search and close after it.
    if (isSearching || wasSearching) for (const one of all("details")) one.open = isSearching;
    wasSearching = isSearching;
    output.value = isSearching ? words.found(found, items.length) : "";
  };
  filter();
}

input.addEventListener("input", () => {
  filter();
});

document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey } = event;
  if (key !== "/" || ctrlKey || metaKey || target === input || !input.isConnected) return;
  event.preventDefault();
  input.focus();
  input.select();
});
