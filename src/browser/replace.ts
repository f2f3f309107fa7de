import { all, first } from "./elements.ts";

/**
 * Puts other content in the place of the page's, calls `changed`, and then restores what the reader had: the focus,
 * the scroll position, and which details were open. A new heading is said to those who do not see it change.
 */
export function replaceMain(next: HTMLElement, changed: () => void): void {
  const main = first("main");
  const focused = document.activeElement ?? document.body;
  const selector = selectorOf(focused);
  const index = all(selector).findIndex((one) => one === focused);
  const open = new Map(all("details").map((one) => [one.id, one.open]));
  const heading = first("h1")?.textContent;
  const { scrollY } = window;
  main?.replaceWith(next);
  for (const one of all("details")) one.open = open.get(one.id) ?? one.open;
  changed();
  all(selector)[index]?.focus({ preventScroll: true });
  scrollTo({ top: scrollY, behavior: "instant" });
  const now = first("h1")?.textContent ?? "";
  if (now !== heading) first(".said")?.replaceChildren(now);
}

/** Names an element, and those like it, in another content of the same page: what folds is known by its id. */
function selectorOf(element: Element): string {
  const id = element.parentElement?.id;
  const href = element.getAttribute("href");
  const own = href === null ? element.tagName : `[href="${CSS.escape(href)}"]`;
  return id ? `[id="${id}"]>${own}` : own;
}
