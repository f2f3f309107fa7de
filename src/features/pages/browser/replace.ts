import type { Idiomorph as Morpher } from "idiomorph";
import { tellTime } from "./age.ts";
import { all, first, nextTask } from "./elements.ts";

/** Called before and after the page changes. */
export interface Changes {
  readonly changing: () => void;
  readonly changed: () => void;
}

/** One task replaces at most this many elements, so that key presses don't have to wait long for its end. */
const maxReplacedAtOnce = 50;

/** Maps each element of the page to a copy of what the host sent. Elements that scripts added have no copy. */
const sent = new WeakMap<Element, Element>();

/**
 * Returns a function that updates the page with new content. Scripts change the page, so the function compares the new
 * content with what the host sent before. It replaces only what differs. If a part of a row differs, it replaces the
 * whole row. The focus, the scroll position, opened details and elements that scripts added stay as they are.
 */
export function keepSource(main: Element, { changing, changed }: Changes) {
  // Most readers leave before the page changes, so the rows of a long table are copied only then.
  const groups = new Map(all(".long tbody").map((group) => [group, [...group.children]]));
  copySent(main, groups);
  return async (next: Element): Promise<void> => {
    for (const [group, rows] of groups) {
      groups.delete(group);
      copyRows(group, rows);
      await nextTask();
    }
    const before = sent.get(main);
    for (const content of [main, before, next]) identifyRows(content);
    if (before?.isEqualNode(next)) return;
    const { Idiomorph } = await import("./morph.ts");
    const { keepFocus, keepPlace } = focusKeeper();
    changing();
    const replacements = morph(Idiomorph, main, next);
    for (let done = 0; done < replacements.length; done += maxReplacedAtOnce) {
      if (done > 0) await nextTask();
      for (const replace of replacements.slice(done, done + maxReplacedAtOnce)) replace();
      // Shortens the times in new content before the browser shows it, because otherwise the content below would move.
      tellTime();
      keepPlace();
    }
    changed();
    keepFocus();
    keepPlace();
    // Copies a new heading to the live region, so that screen readers announce it.
    const heading = headingOf(next);
    if (headingOf(before) !== heading) first(".live")?.replaceChildren(heading);
  };
}

/** Gives rows ids, by which Idiomorph matches old and new elements. */
function identifyRows(content?: Element): void {
  for (const row of content?.querySelectorAll<HTMLElement>("[data-item]") ?? [])
    row.id ||= `row-${row.dataset["node"] ?? ""}`;
}

/** Maps an element that scripts have not changed yet, and its parts, to copies. Leaves out the rows of `groups`. */
function copySent(node: Node, groups: ReadonlyMap<Node, unknown> = new Map()): Node {
  const copy = node.cloneNode();
  if (node instanceof Element && copy instanceof Element) sent.set(node, copy);
  if (!groups.has(node)) for (const child of node.childNodes) copy.appendChild(copySent(child, groups));
  return copy;
}

/** Copies the rows of a group as the host sent them. Until then, scripts only hide rows and change their times. */
function copyRows(group: Element, rows: readonly Element[]): void {
  for (const row of rows) {
    sent.get(group)?.append(copySent(row));
    sent.get(row)?.removeAttribute("hidden");
    for (const time of sent.get(row)?.querySelectorAll("time") ?? []) {
      time.textContent = time.title;
      time.removeAttribute("title");
    }
  }
}

/** Updates containers in place, and returns functions that replace everything else that differs. */
function morph(morpher: typeof Morpher, main: Element, next: Element): (() => void)[] {
  const replacements: (() => void)[] = [];
  const containers = new Map<Element, Element>();
  // `morph` returns a promise only for a `<head>`.
  void morpher.morph(main, next, {
    restoreFocus: false,
    callbacks: {
      beforeNodeMorphed: (old, node) => {
        const before = sent.get(old);
        if (!(node instanceof Element) || before?.isEqualNode(node)) return false;
        if (isContainer(node) && (before === undefined || isContainer(before))) {
          containers.set(old, node);
          return true;
        }
        replacements.push(() => {
          replace(old, node);
        });
        return false;
      },
      // Keeps attributes that the reader or a script changed, unless the host changed them too. Details don't open or
      // close in view, since everything below them would move, and only the reader closes them.
      beforeAttributeUpdated: (name, element, change) =>
        (name !== "open" || (change === "update" && element.getBoundingClientRect().top > innerHeight)) &&
        sent.get(element)?.getAttribute(name) !== containers.get(element)?.getAttribute(name),
      beforeNodeRemoved: (node) => sent.has(node),
      afterNodeAdded: (node) => {
        if (node instanceof Element && !containers.has(node)) copySent(node);
      },
    },
  });
  for (const [element, source] of containers) sent.set(element, source);
  return replacements;
}

/** Containers are compared child by child. Rows, and elements with text, are replaced as a whole. */
function isContainer(element: Element): boolean {
  if (element.matches("[data-item], figure")) return false;
  if (element.childNodes.length === 0) return element.id !== "";
  return [...element.childNodes].every(({ nodeType }) => nodeType === Node.ELEMENT_NODE);
}

function replace(old: Element, next: Element): void {
  const copy = document.importNode(next, true);
  copySent(copy);
  const open = new Set([...old.querySelectorAll("details[open]")].map(({ id }) => id));
  for (const details of copy.querySelectorAll<HTMLDetailsElement>("details[id]"))
    details.open = open.has(details.id);
  old.replaceWith(copy);
}

function headingOf(source: Element | undefined): string {
  return source?.querySelector("h1")?.textContent ?? "";
}

/**
 * Returns a function that, if the focused element was replaced, focuses its counterpart, and one that scrolls so that
 * this element stays where it was, if it is in view.
 */
function focusKeeper(): { readonly keepFocus: () => void; readonly keepPlace: () => void } {
  const focused = document.activeElement ?? document.body;
  const selector = selectorOf(focused);
  const index = all(selector).findIndex((one) => one === focused);
  const current = (): Element | undefined => (focused.isConnected ? focused : all(selector)[index]);
  const { top } = focused.getBoundingClientRect();
  const isInView = focused !== document.body && top >= 0 && top < innerHeight;
  return {
    keepFocus: () => {
      if (document.activeElement !== focused) all(selector)[index]?.focus({ preventScroll: true });
    },
    keepPlace: () => {
      const moved = isInView ? (current()?.getBoundingClientRect().top ?? top) - top : 0;
      if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
    },
  };
}

function selectorOf(element: Element): string {
  const id = element.parentElement?.id;
  const href = element.getAttribute("href");
  const own = href === null ? element.tagName : `[href="${CSS.escape(href)}"]`;
  return id ? `[id="${id}"]>${own}` : own;
}
