import { first } from "./elements.ts";
import { focusKeeper } from "./focus.ts";

/** Changes the page to new content. Calls `changing` before and `changed` after it, but neither if nothing differs. */
export type Update = (next: Element, changing: () => void, changed: () => void) => Promise<void>;

/** Changes of the page in one task, so that no key press waits for many of them. */
const maxChangesAtOnce = 50;

/**
 * Keeps a copy of the content as the host sent it, and returns a function that changes the page to newer content. The two
 * copies are compared, since scripts change the page. Only what differs is replaced, a whole row at a time. Everything
 * else stays: focus, scroll position, open details, and what scripts added.
 */
export function keepSource(main: Element): Update {
  const source = copyOf(main);
  return async (next, changing, changed) => {
    const changes: (() => void)[] = [];
    compare(source, next, changes);
    if (changes.length === 0) return;
    const heading = headingOf(source);
    const keepFocus = focusKeeper();
    changing();
    for (let done = 0; done < changes.length; done += maxChangesAtOnce) {
      if (done > 0) await new Promise((resolve) => setTimeout(resolve));
      for (const change of changes.slice(done, done + maxChangesAtOnce)) change();
    }
    changed();
    keepFocus();
    // Screen readers announce it.
    if (headingOf(source) !== heading) first(".live")?.replaceChildren(headingOf(source));
  };
}

/** The element of the page for each element of the copy. */
const shown = new WeakMap<Element, Element>();

/** Returns a copy of an element, and notes which element each part of it is a copy of. */
function copyOf(element: Element): Element {
  const copy = document.importNode(element, true);
  const originals = [element, ...element.getElementsByTagName("*")];
  [copy, ...copy.getElementsByTagName("*")].forEach((part, index) => {
    const original = originals[index];
    if (original !== undefined) shown.set(part, original);
  });
  return copy;
}

/** Adds the changes that turn an element of the copy, and the page, into what the element is next. */
function compare(before: Element, next: Element, changes: (() => void)[]): void {
  if (before.isEqualNode(next)) return;
  if (before.tagName !== next.tagName || !isContainer(before) || !isContainer(next)) {
    changes.push(() => {
      replace(before, next);
    });
    return;
  }
  if (!before.cloneNode().isEqualNode(next.cloneNode())) {
    const attributes = [...next.attributes].map(({ name, value }) => [name, value] as const);
    changes.push(() => {
      for (const one of [shown.get(before), before])
        if (one !== undefined) setAttributes(one, before, attributes);
    });
  }
  const olds = childrenOf(before);
  const news = childrenOf(next);
  const kept = [...news.keys()].filter((key) => olds.has(key));
  for (const key of kept) {
    const [old, child] = [olds.get(key), news.get(key)];
    if (old !== undefined && child !== undefined) compare(old, child, changes);
  }
  const isSameOrder = [...olds.keys()].join("\n") === [...news.keys()].join("\n");
  if (isSameOrder) return;
  const added = new Map(
    [...news].filter(([key]) => !olds.has(key)).map(([key, child]) => [key, copyOf(child)]),
  );
  changes.push(() => {
    // An element that was replaced has the place of the one before.
    const own = childrenOf(before);
    const ordered = [...news.keys()].flatMap((key) => added.get(key) ?? own.get(key) ?? []);
    arrange(before, ordered);
  });
}

/** Returns whether the children of an element are compared one by one: not those of a row, nor those beside text. */
function isContainer(element: Element): boolean {
  if (element.hasAttribute("data-item")) return false;
  if (element.childNodes.length === 0) return element.id !== "";
  return [...element.childNodes].every(({ nodeType }) => nodeType === Node.ELEMENT_NODE);
}

/** Returns the children of an element by their identity: a mirror, a target or an id, else the kind and a number. */
function childrenOf(element: Element): Map<string, Element> {
  const counts = new Map<string, number>();
  return new Map(
    [...element.children].map((child) => {
      const { tagName, id } = child;
      const own = child.getAttribute("data-node") ?? child.getAttribute("data-place") ?? id;
      const kind = `${tagName} ${own || child.getAttribute("class") || ""}`;
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      return [`${kind} ${count}`, child];
    }),
  );
}

/** Replaces an element of the copy and of the page. Details with an id stay open. */
function replace(before: Element, next: Element): void {
  const old = shown.get(before);
  before.replaceWith(copyOf(next));
  for (const details of old?.querySelectorAll("details[id]") ?? [])
    next
      .querySelector(`[id="${CSS.escape(details.id)}"]`)
      ?.toggleAttribute("open", details.hasAttribute("open"));
  old?.replaceWith(next);
}

/** Gives an element of the copy, and of the page, these children in this order. What is in its place is not moved. */
function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const child of parent.children) if (!wanted.has(child)) shown.get(child)?.remove();
  parent.replaceChildren(...children);
  let previous: Element | undefined;
  for (const child of children) {
    const one = shown.get(child);
    if (one === undefined) continue;
    const isInPlace = (previous ? previous.nextElementSibling : shown.get(parent)?.firstElementChild) === one;
    if (!isInPlace && previous === undefined) shown.get(parent)?.prepend(one);
    else if (!isInPlace) previous?.after(one);
    previous = one;
  }
}

function setAttributes(
  element: Element,
  before: Element,
  attributes: readonly (readonly [name: string, value: string])[],
): void {
  const names = new Set(attributes.map(([name]) => name));
  for (const name of before.getAttributeNames()) if (!names.has(name)) element.removeAttribute(name);
  for (const [name, value] of attributes)
    if (before.getAttribute(name) !== value) element.setAttribute(name, value);
}

function headingOf(source: Element): string {
  return source.querySelector("h1")?.textContent ?? "";
}
