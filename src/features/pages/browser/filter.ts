import { focusOnSlash, make } from "./elements.ts";

interface Filter {
  readonly label: string;
  readonly placeholder: string;
  readonly elements: () => Iterable<HTMLElement>;
  /** Containers to hide while all their elements are hidden. */
  readonly groups: () => Iterable<HTMLElement>;
  readonly textOf: (element: HTMLElement) => string;
  readonly count: (shown: number, all: number) => string;
}

/**
 * Adds a search box to `place`. Only elements that contain every typed word are shown. Returns a function that filters
 * again.
 */
export function addFilter(place: Element, filter: Filter): () => void {
  const { label, placeholder, elements, groups, textOf, count } = filter;
  const input = make("input", { type: "search", placeholder, ariaLabel: label });
  const output = make("output");
  place.prepend(make("search", { className: "search filter" }, input, output));
  focusOnSlash(input);
  const apply = (): void => {
    const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = [...elements()];
    for (const element of all) {
      const text = textOf(element).toLowerCase();
      element.hidden = !terms.every((term) => text.includes(term));
    }
    const shown = all.filter((element) => !element.hidden);
    for (const group of groups())
      if (!all.includes(group)) group.hidden = !shown.some((element) => group.contains(element));
    output.value = terms.length === 0 ? "" : count(shown.length, all.length);
  };
  input.addEventListener("input", apply);
  return apply;
}
