import { addCopyButtons } from "./copy.ts";
import type * as Days from "./days.ts";
import type * as Search from "./search.ts";
import { first } from "./elements.ts";
import { keepFresh } from "./refresh.ts";
import { endOfExpired, showStaleness } from "./staleness.ts";
import { showState } from "./title.ts";
import { updateTimes } from "./times.ts";

/** The script of the status pages. Without JavaScript they show everything, but are not updated. */
const minute = 60_000;

/** What only some pages need is loaded by those alone: the days of mirrors, and the search of long lists. */
let days: typeof Days | undefined;
let search: typeof Search | undefined;
/** The text of the newest heartbeat. */
let heartbeat: string | undefined;

// First, since it compares later pages with the page as it came.
keepFresh({
  heartbeat: (text) => {
    heartbeat = text;
    days?.takeHeartbeat(text);
  },
  changing: () => search?.removeSearch(),
  changed: enhance,
  fetched: tellTime,
});
enhance();
setInterval(tellTime, minute);
if (first("[data-report]") !== undefined) void loadDays();

/** Runs once for each content of the page. */
function enhance(): void {
  void addSearch();
  addCopyButtons();
  days?.improveDays();
  tellTime();
}

async function loadDays(): Promise<void> {
  days = await import("./days.ts");
  days.improveDays();
  if (heartbeat !== undefined) days.takeHeartbeat(heartbeat);
}

async function addSearch(): Promise<void> {
  if (first("#search") === undefined) return;
  search ??= await import("./search.ts");
  search.addSearch();
}

function tellTime(): void {
  const now = Date.now();
  showStaleness(now);
  showState();
  updateTimes(now, endOfExpired(now));
}
