import { addCopyButtons } from "./copy.ts";
import type * as Days from "./days.ts";
import { first } from "./elements.ts";
import { keepFresh } from "./refresh.ts";
import { addSearch } from "./search.ts";
import { showStaleness } from "./staleness.ts";
import { showState } from "./title.ts";
import { updateTimes } from "./times.ts";

/** The script of the status pages. Without JavaScript they show everything, but are not updated. */
const minute = 60_000;

/** The script for days, which only pages with days load. */
let days: typeof Days | undefined;

// First, since it compares later pages with the page as it came.
keepFresh(enhance, afterFetch);
enhance();
setInterval(tellTime, minute);
if (first("[data-report]") !== undefined) void loadDays();

/** Runs once for each content of the page. */
function enhance(): void {
  addSearch();
  addCopyButtons();
  days?.improveDays();
  tellTime();
}

/** Runs after each refresh. */
function afterFetch(): void {
  tellTime();
  void days?.fetchToday();
}

async function loadDays(): Promise<void> {
  days = await import("./days.ts");
  days.improveDays();
  await days.fetchToday();
}

function tellTime(): void {
  const now = Date.now();
  showStaleness(now);
  showState();
  updateTimes(now);
}
