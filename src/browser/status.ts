import { addCopyButtons } from "./copy.ts";
import { keepFresh } from "./refresh.ts";
import { addSearch } from "./search.ts";
import { tellStaleness } from "./staleness.ts";
import { tellTimes } from "./times.ts";

/** What the status page does where there is JavaScript; without it everything is there but up to date. */
const minute = 60_000;

// First, since it takes the page as it came for what later ones are held against.
keepFresh(enhance, tellTime);
enhance();
setInterval(tellTime, minute);

/** Done once for each content that the page gets. */
function enhance(): void {
  addSearch();
  addCopyButtons();
  tellTime();
}

function tellTime(): void {
  const now = Date.now();
  tellStaleness(now);
  tellTimes(now);
}
