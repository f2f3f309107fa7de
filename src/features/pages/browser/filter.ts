import { all, first, focusOnSlash, make } from "./elements.ts";

const label = "Find incidents";
const input = make("input", { type: "search", placeholder: label, ariaLabel: label });
const output = make("output");

/** Adds a search box, if there is none. Only incidents that contain every typed word are shown. */
export function addFilter(): void {
  if (!input.isConnected)
    first("#filter")?.prepend(make("search", { className: "search filter" }, input, output));
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const lines = all(".month > ol > li");
  for (const line of lines) {
    const text = line.textContent.toLowerCase();
    line.hidden = !terms.every((term) => text.includes(term));
  }
  const shown = lines.filter((line) => !line.hidden);
  for (const month of all(".month")) month.hidden = !shown.some((line) => month.contains(line));
  output.value = terms.length === 0 ? "" : `${shown.length} / ${lines.length}`;
}

input.addEventListener("input", addFilter);
focusOnSlash(input);
