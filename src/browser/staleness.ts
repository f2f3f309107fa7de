import { all, first } from "./elements.ts";

/** When the newest run known here was, and until when it holds (ISO 8601): as an overview tells it. */
let [at, expiresAt] = momentsOf(document);

/** Takes over the run of an overview that was fetched. */
export function takeRun(overview: Document): void {
  [at = at, expiresAt = expiresAt] = momentsOf(overview);
}

/**
 * Tells when the last run was on a page that has no run's moment of its own, and in a banner that the feed is past
 * its end (now in epoch milliseconds).
 */
export function tellStaleness(now: number): void {
  if (at === undefined || expiresAt === undefined) return;
  first("[data-run]")?.replaceChildren("Last run ", timeOf(at), ".");
  const isStale = now >= Date.parse(expiresAt);
  document.documentElement.toggleAttribute("data-stale", isStale);
  const banner = first(".stale");
  if (banner === undefined || banner.hidden !== isStale) return;
  const [last, end] = all(".stale span");
  last?.replaceChildren(timeOf(at));
  end?.replaceChildren(timeOf(expiresAt));
  banner.hidden = !isStale;
}

function momentsOf(page: Document): (string | undefined)[] {
  return [...page.querySelectorAll<HTMLTimeElement>(".run time")].map(({ dateTime }) => dateTime);
}

function timeOf(moment: string): HTMLTimeElement {
  const time = document.createElement("time");
  time.dateTime = moment;
  time.title = `${moment.slice(0, 10)}, ${moment.slice(11, 16)} UTC`;
  return time;
}
