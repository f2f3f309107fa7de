import type { Idiomorph as Morpher } from "idiomorph";
import { all, first } from "./elements.ts";

/**
 * Calls `changing` before and `changed` after an update, and `replaced` before each step of it is shown, but none if nothing
 * differs.
 */
export type Update = (
  next: Element,
  changing: () => void,
  replaced: () => void,
  changed: () => void,
) => Promise<void>;

/** Replacements in one task, so that key presses never wait for many of them. */
const maxReplacedAtOnce = 50;

/** Each element of the page as the host sent it. Elements that scripts added have none. */
const sent = new WeakMap<Element, Element>();

/**
 * Returns a function that updates the page to newer content. Scripts change the page, so new content is compared with
 * what the host sent. What differs is replaced, a whole row at a time. Everything else stays: focus, scroll position,
 * open details, and what scripts added.
 */
export function keepSource(main: Element): Update {
  identifyRows(main);
  noteSent(main);
  return async (next, changing, replaced, changed) => {
    identifyRows(next);
    const before = sent.get(main);
    if (before?.isEqualNode(next)) return;
    const { Idiomorph } = await import("./morph.ts");
    const keepFocus = focusKeeper();
    changing();
    const replacements = morph(Idiomorph, main, next);
    for (let done = 0; done < replacements.length; done += maxReplacedAtOnce) {
      if (done > 0) await new Promise((resolve) => setTimeout(resolve));
      for (const replace of replacements.slice(done, done + maxReplacedAtOnce)) replace();
      replaced();
    }
    changed();
    keepFocus();
    // Screen readers announce it.
    const heading = headingOf(next);
    if (headingOf(before) !== heading) first(".live")?.replaceChildren(heading);
  };
}

/** Idiomorph matches elements by the ids in them. */
function identifyRows(main: Element): void {
  for (const row of main.querySelectorAll<HTMLElement>("[data-item]"))
    row.id ||= `row-${row.dataset["node"] ?? ""}`;
}

function noteSent(element: Element): void {
  const copy = document.importNode(element, true);
  const copies = copy.getElementsByTagName("*");
  sent.set(element, copy);
  [...element.getElementsByTagName("*")].forEach((part, index) => {
    const partCopy = copies[index];
    if (partCopy !== undefined) sent.set(part, partCopy);
  });
}

/** Updates containers, and returns the replacements of everything else that differs. */
function morph(morpher: typeof Morpher, main: Element, next: Element): (() => void)[] {
  const replacements: (() => void)[] = [];
  const containers = new Map<Element, Element>();
  // It is a promise only if it loads what a head refers to.
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
      // Changes by readers and scripts stay, unless the host changed the same thing.
      beforeAttributeUpdated: (name, element) =>
        sent.get(element)?.getAttribute(name) !== containers.get(element)?.getAttribute(name),
      beforeNodeRemoved: (node) => sent.has(node),
      afterNodeAdded: (node) => {
        if (node instanceof Element && !containers.has(node)) noteSent(node);
      },
    },
  });
  for (const [element, source] of containers) sent.set(element, source);
  return replacements;
}

/** The children of a container are compared one by one. A row is replaced as a whole, as is text. */
function isContainer(element: Element): boolean {
  if (element.matches("[data-item], figure")) return false;
  if (element.childNodes.length === 0) return element.id !== "";
  return [...element.childNodes].every(({ nodeType }) => nodeType === Node.ELEMENT_NODE);
}

function replace(old: Element, next: Element): void {
  const copy = document.importNode(next, true);
  noteSent(copy);
  const open = new Set([...old.querySelectorAll("details[open]")].map(({ id }) => id));
  for (const details of copy.querySelectorAll<HTMLDetailsElement>("details[id]"))
    details.open = open.has(details.id);
  old.replaceWith(copy);
}

function headingOf(source: Element | undefined): string {
  return source?.querySelector("h1")?.textContent ?? "";
}

/** Returns a function that moves the focus to the equal of an element that has lost it. */
function focusKeeper(): () => void {
  const focused = document.activeElement ?? document.body;
  const selector = selectorOf(focused);
  const index = all(selector).findIndex((one) => one === focused);
  return () => {
    if (document.activeElement !== focused) all(selector)[index]?.focus({ preventScroll: true });
  };
}

function selectorOf(element: Element): string {
  const id = element.parentElement?.id;
  const href = element.getAttribute("href");
  const own = href === null ? element.tagName : `[href="${CSS.escape(href)}"]`;
  return id ? `[id="${id}"]>${own}` : own;
}
