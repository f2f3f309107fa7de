/** Returns every element of the page that matches a selector. */
export function all(selector: "details"): HTMLDetailsElement[];
export function all(selector: "main time, .stale time"): HTMLTimeElement[];
export function all(selector: string): HTMLElement[];
export function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

/** Returns a new element with these properties and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Returns a status as a shape, as the pages draw it. */
export function makeShape(name: "online" | "offline" | "unknown"): Element {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", `shape ${name}`);
  svg.setAttribute("viewBox", "-6 -6 12 12");
  svg.ariaHidden = "true";
  const circle = document.createElementNS(svg.namespaceURI, "circle");
  circle.setAttribute("r", name === "online" ? "5.5" : "4.5");
  svg.append(circle);
  return svg;
}

/** Returns the name of the mirror of an element, or nothing on its own page. */
export function nameOf(element: Element): string {
  return element.closest("[data-node]")?.querySelector("h2")?.textContent ?? "";
}

/** Returns the first element of the page that matches a selector. */
export function first(selector: string): HTMLElement | undefined {
  return all(selector)[0];
}
