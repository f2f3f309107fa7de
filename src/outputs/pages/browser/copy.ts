import { all, first, make } from "./elements.ts";
import { words } from "./words.ts";

const thanksFor = 2000;

/** Adds the URL of the page to lines that were made without one, and a copy button beside each. */
export function addCopyButtons(): void {
  const { url, top = "" } = first("[data-url]")?.dataset ?? {};
  for (const code of all("[data-copy]")) {
    if (url !== undefined && code.textContent.includes(url))
      code.textContent = code.textContent.replaceAll(url, new URL(top, location.href).href.slice(0, -1));
    if (!isSecureContext || code.nextElementSibling !== null) continue;
    const button = make("button", {}, words.copy);
    button.addEventListener("click", () => void copy(code.textContent, button));
    code.after(button);
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => words.copied,
    () => words.notAllowed,
  );
  setTimeout(() => (button.textContent = words.copy), thanksFor);
}
