/** Every element of the page that a selector names. */
export function all(selector: "details"): HTMLDetailsElement[];
export function all(selector: "main time, .stale time"): HTMLTimeElement[];
export function all(selector: string): HTMLElement[];
export function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

/** The first element of the page that a selector names. */
export function first(selector: string): HTMLElement | undefined {
  return all(selector)[0];
}
