import { drawings, type ShapeName } from "../../layout/shapes.ts";

export function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

export function first(selector: string): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(selector) ?? undefined;
}

/** Lets the browser handle input before more work is done. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export function makeSvg(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export function makeShape(name: ShapeName): Element {
  const svg = makeSvg("svg", { class: `shape ${name}`, viewBox: "-6 -6 12 12", "aria-hidden": "true" });
  const { r, d } = drawings[name];
  if (r !== undefined) svg.append(makeSvg("circle", { r: String(r) }));
  if (d !== undefined) svg.append(makeSvg("path", { d }));
  return svg;
}

export function sourceOf(element: Element) {
  const { node } = element.closest<HTMLElement>("[data-node]")?.dataset ?? {};
  const { report = "", day = "" } = element.closest<HTMLElement>("[data-report]")?.dataset ?? {};
  const { today } = element.closest<HTMLElement>("[data-today]")?.dataset ?? {};
  return { id: Number(node), report, day, today };
}

/** Returns the name of an element's mirror, or an empty string on the mirror's own page. */
export function nameOf(element: Element): string {
  return element.closest("[data-node]")?.querySelector("h2")?.textContent ?? "";
}

/** Focuses a search box when the reader types `/` outside a field. */
export function focusOnSlash(input: HTMLInputElement): void {
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== "/" || ctrlKey || metaKey || altKey || !input.isConnected) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
