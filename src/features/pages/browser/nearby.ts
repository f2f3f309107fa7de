import { all } from "./elements.ts";

/** Not every browser has one of these, and TypeScript's library has neither. */
interface PlacedLocale extends Intl.Locale {
  readonly getTimeZones?: () => readonly string[] | undefined;
  readonly timeZones?: readonly string[];
}

/** If one of the best mirrors is in the reader's country, recommends that one. Call it after every change of the page. */
export function recommendNearby(): void {
  const [best, ...nearby] = all(".best > [data-url]");
  if (best === undefined || nearby.length === 0) return;
  const shown = nearby.find(({ dataset }) => isHere(dataset["near"] ?? "")) ?? best;
  for (const one of [best, ...nearby]) one.hidden = one !== shown;
  for (const other of all("[data-other]")) other.hidden = other.dataset["other"] === shown.dataset["id"];
  const quote = ({ dataset }: HTMLElement): string => `"${dataset["url"] ?? ""}"`;
  for (const code of all(".best code")) {
    // Commands quote the URL.
    const before = `"${code.textContent}"`;
    const after = [best, ...nearby].reduce(
      (text, one) => text.replaceAll(quote(one), () => quote(shown)),
      before,
    );
    if (after !== before) code.textContent = after.slice(1, -1);
  }
}

/** A time zone tells more about a place than a language does. */
function isHere(country: string): boolean {
  const locale: PlacedLocale = new Intl.Locale(`und-${country}`);
  const zones = locale.getTimeZones?.() ?? locale.timeZones;
  if (zones === undefined) return new Intl.Locale(navigator.language).region === country;
  return zones.includes(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}
