/** Returns every element of the page that matches a selector. */
export function all(selector: "details"): HTMLDetailsElement[];
export function all(selector: "main time, .stale time"): HTMLTimeElement[];
export function all(selector: string): HTMLElement[];
export function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

/** Returns the first element of the page that matches a selector. */
export function first(selector: string): HTMLElement | undefined {
  return all(selector)[0];
}
