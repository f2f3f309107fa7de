import { formatDuration, formatIn } from "../../../core/base/text/time.ts";
import { all, first, make, makeShape } from "./elements.ts";

const format = formatIn(document.documentElement.dataset["timezone"] ?? "UTC");

let lastRun = runOf(document);

/**
 * A cache can serve a response for ten minutes, so only a larger difference proves that the reader's clock is wrong.
 */
const maxClockError = 15 * 60_000;
/** How far the reader's clock is behind the host's, if it is wrong (milliseconds). */
let clockError = 0;

/** In epoch milliseconds. */
function endOfRun(): number {
  return Date.parse(lastRun?.generated_at ?? "1970");
}

function isExpired(now: number): boolean {
  return lastRun !== undefined && now >= Date.parse(lastRun.expires_at);
}

export function takeClock(headers: Headers): void {
  const sent = Date.parse(headers.get("date") ?? "") + 1000 * Number(headers.get("age"));
  const error = sent - Date.now();
  clockError = Math.abs(error) > maxClockError ? error : 0;
}

/** Returns false if the feed has expired, or if the reader's clock shows a time before the last run. */
export function isValidNow(): boolean {
  const now = Date.now() + clockError;
  return endOfRun() <= now && !isExpired(now);
}

/** Doesn't parse the heartbeat, which can be megabytes long. Returns false if the text is not a heartbeat. */
export function takeRun(heartbeat: string): boolean {
  const [, at, end] = /"generated_at":"([^"]+)","expires_at":"([^"]+)"/.exec(heartbeat) ?? [];
  if (at === undefined || end === undefined) return false;
  lastRun = { generated_at: at, expires_at: end };
  return true;
}

export function takeRunOf(overview: Document): void {
  lastRun = runOf(overview) ?? lastRun;
}

function runOf(page: Document) {
  const [at, end] = [...page.querySelectorAll<HTMLTimeElement>(".run time")];
  return at && end && { generated_at: at.dateTime, expires_at: end.dateTime };
}

export function tellTime(): void {
  // Not before the last run.
  const now = Math.max(Date.now() + clockError, endOfRun());
  const isStale = isExpired(now);
  document.documentElement.toggleAttribute("data-stale", isStale);
  showStaleness(isStale);
  showState(isStale);
  updateTimes(now, isStale);
}

/** Shows when the last run ended, and whether the feed has expired. */
function showStaleness(isStale: boolean): void {
  if (lastRun === undefined) return;
  const { generated_at, expires_at } = lastRun;
  const timeOf = (dateTime: string): HTMLTimeElement => make("time", { dateTime });
  first("[data-run]")?.replaceChildren("Last run ", timeOf(generated_at), ".");
  // In an expired feed, these headings say “at the last run”, so that no mirror is blamed for an old problem.
  replaceHeading(isStale, "#problems", () => ["At the last run"]);
  replaceHeading(isStale, "[data-best] dt", () => ["Best mirror at the last run"]);
  replaceHeading(isStale, ".state h1", (text) => {
    first(".stale span:last-child")?.replaceChildren(`At the last run: “${text}”`);
    const end = format.date(expires_at).replaceAll(" ", "\u00a0");
    return [makeShape("unknown"), `Status unknown since ${end}.`];
  });
  const banner = first(".stale");
  if (banner === undefined || banner.hidden !== isStale) return;
  const [last, end] = all(".stale span");
  last?.replaceChildren(timeOf(generated_at));
  end?.replaceChildren(timeOf(expires_at));
  banner.hidden = !isStale;
}

/** The original content of replaced headings. */
const headings = new WeakMap<HTMLElement, readonly Node[]>();

/** Replaces a heading while the feed is expired, and restores it after the next run. */
function replaceHeading(isStale: boolean, selector: string, past: (text: string) => (Node | string)[]): void {
  const heading = first(selector);
  if (heading === undefined) return;
  const known = headings.get(heading);
  if (isStale === (known !== undefined)) return;
  if (known === undefined) headings.set(heading, [...heading.childNodes]);
  else headings.delete(heading);
  heading.replaceChildren(...(known ?? past(heading.textContent)));
}

function showState(isStale: boolean): void {
  const { state, shape } = first("main")?.dataset ?? {};
  const { subject } = first("title")?.dataset ?? {};
  const icon = document.querySelector<HTMLLinkElement>('link[href$=".svg"][rel=icon]');
  if (state === undefined || shape === undefined || subject === undefined || icon === null) return;
  document.title = `${isStale ? "Unknown" : state} · ${subject}`;
  const href = icon.href.replace(/icon-\w+\.svg$/, `icon-${isStale ? "unknown" : shape}.svg`);
  if (icon.href !== href) icon.href = href;
}

/**
 * Shows times relative to `now` (epoch milliseconds). In an expired feed, durations of states end at the last run, since
 * later states are unknown.
 */
function updateTimes(now: number, isStale: boolean): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("main time, .stale time")) {
    // The host has sent the same text. Creating a formatter would delay the first view.
    time.title ||= time.textContent || titleOf(time);
    const at = Date.parse(time.dateTime);
    const hasEnded = isStale && time.className === "since";
    const text = hasEnded ? `for ${formatDuration(endOfRun() - at)} at the last run` : textOf(time, at - now);
    if (time.textContent !== text) time.textContent = text;
  }
}

function titleOf({ className, dateTime }: HTMLTimeElement): string {
  const timestamp = format.timestamp(dateTime);
  return className === "since" ? `since ${timestamp}` : timestamp;
}

function textOf({ className, title }: HTMLTimeElement, ahead: number): string {
  const duration = formatDuration(Math.abs(ahead));
  if (className === "exact") return title;
  if (className === "since") return `for ${duration}`;
  if (className === "until") return ahead > 0 ? `for another ${duration}` : title;
  return ahead > 0 ? `in ${duration}` : `${duration} ago`;
}
