import { addCopyButtons } from "./copy.ts";
import { keepFresh } from "./refresh.ts";
import { addSearch } from "./search.ts";
import { showStaleness } from "./staleness.ts";
import { showState } from "./title.ts";
import { updateTimes } from "./times.ts";

/** The script of the status pages. Without JavaScript they show everything, but are not updated. */
const minute = 60_000;

// First, since it compares later pages with the page as it came.
keepFresh(enhance, tellTime);
enhance();
setInterval(tellTime, minute);

/** Runs once for each content of the page. */
function enhance(): void {
  addSearch();
  addCopyButtons();
  tellTime();
}

function tellTime(): void {
  const now = Date.now();
  showStaleness(now);
  showState();
  updateTimes(now);
}
