import { all, first } from "./elements.ts";
import { words } from "./words.ts";

/** When the newest known run ended and when it expires (ISO 8601), from an overview. */
let [at, expiresAt] = timestampsOf(document);

/** Stores the run of a fetched overview. */
export function takeRun(overview: Document): void {
  [at = at, expiresAt = expiresAt] = timestampsOf(overview);
}

/**
 * Shows when the last run ended, on a page without that time, and a banner if the feed has expired (`now` in epoch
 * milliseconds).
 */
export function showStaleness(now: number): void {
  if (at === undefined || expiresAt === undefined) return;
  const [before = "", after = ""] = words.lastRun;
  first("[data-run]")?.replaceChildren(before, timeOf(at), after);
  const isStale = now >= Date.parse(expiresAt);
  document.documentElement.toggleAttribute("data-stale", isStale);
  const banner = first(".stale");
  if (banner === undefined || banner.hidden !== isStale) return;
  const [last, end] = all(".stale span");
  last?.replaceChildren(timeOf(at));
  end?.replaceChildren(timeOf(expiresAt));
  banner.hidden = !isStale;
}

function timestampsOf(page: Document): (string | undefined)[] {
  return [...page.querySelectorAll<HTMLTimeElement>(".run time")].map(({ dateTime }) => dateTime);
}

function timeOf(timestamp: string): HTMLTimeElement {
  const time = document.createElement("time");
  time.dateTime = timestamp;
  return time;
}
