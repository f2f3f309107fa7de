import { first } from "./elements.ts";
import { words } from "./words.ts";

/** Shows the state of the page in the title and the icon of its tab. The state of an expired feed is unknown. */
export function showState(): void {
  const { state, shape } = first("main")?.dataset ?? {};
  const { subject } = first("title")?.dataset ?? {};
  const icon = document.querySelector<HTMLLinkElement>('link[href$=".svg"][rel=icon]');
  if (state === undefined || shape === undefined || subject === undefined || icon === null) return;
  const isStale = document.documentElement.hasAttribute("data-stale");
  document.title = `${isStale ? words.unknown : state} · ${subject}`;
  const href = icon.href.replace(/icon-\w+\.svg$/, `icon-${isStale ? "unknown" : shape}.svg`);
  if (icon.href !== href) icon.href = href;
}
