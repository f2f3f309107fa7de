import { all, first } from "./elements.ts";

/** Shorter lists are read faster than searched. */
const fewestItems = 8;

const form = document.createElement("search");
const input = document.createElement("input");
const output = document.createElement("output");
form.className = "search";
form.append(input, output);
input.type = "search";
input.ariaLabel = input.placeholder = "Find targets and mirrors";

let wasSearching = false;
let filter = (): void => undefined;

/**
 * Adds the search box above the page's list where that is long: it filters as one types, and `/` leads to it. What is
 * searched for stays when the content is replaced.
 */
export function addSearch(): void {
  const list = first(".projects");
  const items = all("[data-item]");
  if (list === undefined || items.length < fewestItems) return;
  const texts = items.map((item) => item.textContent.toLowerCase());
  list.before(form);
  filter = (): void => {
    const words = input.value.toLowerCase().trim().split(/\s+/);
    const isSearching = words[0] !== "";
    let found = 0;
    items.forEach((item, index) => {
      item.hidden = !words.every((word) => texts[index]?.includes(word));
      if (!item.hidden) found += 1;
    });
    for (const group of all("[data-group]"))
      group.hidden = isSearching && group.querySelector("[data-item]:not([hidden])") === null;
    // What is folded opens while something is searched for, and folds again after.
    if (isSearching || wasSearching) for (const one of all("details")) one.open = isSearching;
    wasSearching = isSearching;
    output.value = isSearching ? `${found} of ${items.length} targets` : "";
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
