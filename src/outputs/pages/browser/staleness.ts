import { all, first, make, makeShape } from "./elements.ts";
import { formatTimestamp, words } from "./words.ts";

/** When the newest known run ended and when it expires (ISO 8601). */
interface LastRun {
  readonly generated_at: string;
  readonly expires_at: string;
}

let lastRun = runOf(document);

/**
 * Stores the newest run, from the text of the heartbeat, and returns whether there is one. The text is not parsed: that of a
 * large feed has megabytes.
 */
export function takeRun(heartbeat: string): boolean {
  const [, at, end] = /"generated_at":"([^"]+)","expires_at":"([^"]+)"/.exec(heartbeat) ?? [];
  if (at === undefined || end === undefined) return false;
  lastRun = { generated_at: at, expires_at: end };
  return true;
}

/** Stores the run of a fetched overview. */
export function takeRunOf(overview: Document): void {
  lastRun = runOf(overview) ?? lastRun;
}

/** Returns when the last run ended (epoch milliseconds) if the feed has expired since, otherwise undefined. */
export function endOfExpired(now: number): number | undefined {
  return isExpired(now) && lastRun !== undefined ? Date.parse(lastRun.generated_at) : undefined;
}

/**
 * Shows when the last run ended, on a page without that time. If the feed has expired (`now` in epoch milliseconds), shows a
 * banner, and the heading says that the status is unknown.
 */
export function showStaleness(now: number): void {
  if (lastRun === undefined) return;
  const { generated_at, expires_at } = lastRun;
  const [before = "", after = ""] = words.lastRun;
  first("[data-run]")?.replaceChildren(before, timeOf(generated_at), after);
  const isStale = isExpired(now);
  document.documentElement.toggleAttribute("data-stale", isStale);
  showHeadings(isStale, expires_at);
  const banner = first(".stale");
  if (banner === undefined || banner.hidden !== isStale) return;
  const [last, end] = all(".stale span");
  last?.replaceChildren(timeOf(generated_at));
  end?.replaceChildren(timeOf(expires_at));
  banner.hidden = !isStale;
}

/** What the heading of an expired feed had before. */
let known: { readonly heading: HTMLElement; readonly content: readonly Node[] } | undefined;

/** An expired feed accuses no mirror: its heading says that nothing is known, and those of its problems and its best mirror when they were. */
function showHeadings(isStale: boolean, expiresAt: string): void {
  for (const [selector, past] of [
    ["#problems", words.expired.problems],
    ["[data-best] dt", words.expired.best],
  ] as const) {
    const element = first(selector);
    if (element === undefined) continue;
    element.dataset["known"] ??= element.textContent;
    const text = isStale ? past : element.dataset["known"];
    if (element.textContent !== text) element.textContent = text;
  }
  const heading = first(".state h1");
  const isShown = known !== undefined && known.heading === heading;
  if (heading === undefined || isShown === isStale) return;
  if (!isStale) {
    heading.replaceChildren(...(known?.content ?? []));
    known = undefined;
    return;
  }
  known = { heading, content: [...heading.childNodes] };
  const last = make("small", {}, words.expired.before, heading.textContent);
  const text = make("span", {}, words.expired.heading(formatTimestamp(expiresAt)), last);
  const shape = makeShape("unknown");
  heading.replaceChildren(shape, text);
}

function isExpired(now: number): boolean {
  return lastRun !== undefined && now >= Date.parse(lastRun.expires_at);
}

function runOf(page: Document): LastRun | undefined {
  const [at, end] = [...page.querySelectorAll<HTMLTimeElement>(".run time")];
  return at && end && { generated_at: at.dateTime, expires_at: end.dateTime };
}

function timeOf(timestamp: string): HTMLTimeElement {
  return make("time", { dateTime: timestamp });
}
