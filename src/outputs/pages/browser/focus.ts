import { all } from "./elements.ts";

/** Returns a function that moves the focus to the equal of the focused element, if that has lost it since. */
export function focusKeeper(): () => void {
  const focused = document.activeElement ?? document.body;
  const selector = selectorOf(focused);
  const index = all(selector).findIndex((one) => one === focused);
  return () => {
    if (document.activeElement !== focused) all(selector)[index]?.focus({ preventScroll: true });
  };
}

/** Returns a selector of an element and its equals in another content of the same page. Details are known by their id. */
function selectorOf(element: Element): string {
  const id = element.parentElement?.id;
  const href = element.getAttribute("href");
  const own = href === null ? element.tagName : `[href="${CSS.escape(href)}"]`;
  return id ? `[id="${id}"]>${own}` : own;
}
