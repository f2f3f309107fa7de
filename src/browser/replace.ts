import { all, first } from "./elements.ts";

/**
 * Replaces the content of the page, calls `changed`, and restores the focus, the scroll position and the open details.
 * Announces a new heading to screen readers.
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
  if (now !== heading) first(".live")?.replaceChildren(now);
}

/**
 * Returns a selector of an element and its equals in another content of the same page. Details are known by their id.
 */
function selectorOf(element: Element): string {
  const id = element.parentElement?.id;
  const href = element.getAttribute("href");
  const own = href === null ? element.tagName : `[href="${CSS.escape(href)}"]`;
  return id ? `[id="${id}"]>${own}` : own;
}
