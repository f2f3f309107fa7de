import { all, first } from "./elements.ts";

const thanksFor = 2000;

/** Puts the url the page came from into lines that were made without one, and a button beside each to copy it. */
export function addCopyButtons(): void {
  const list = first(".use dl");
  if (list === undefined) return;
  const { url, base = "" } = list.dataset;
  for (const code of all("[data-copy]")) {
    if (url !== undefined) code.textContent = code.textContent.replaceAll(url, location.origin + base);
    if (!isSecureContext) continue;
    const button = document.createElement("button");
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(code.textContent, button));
    code.after(button);
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Not allowed",
  );
  setTimeout(() => (button.textContent = "Copy"), thanksFor);
}
