import { tellTime } from "./age.ts";
import type * as Days from "./days.ts";
import { all, first, make } from "./elements.ts";
import { recommendNearby } from "./nearby.ts";
import { keepFresh } from "./refresh.ts";
import type * as Search from "./search.ts";

// The script of the status pages, which show everything without JavaScript but don't update. Pages load the modules for
// days, search and incidents only if they need them.
let days: typeof Days | undefined;
let daysLoading: Promise<void> | undefined;
let search: typeof Search | undefined;

// This call must come first: it copies the page while the page is still as the host sent it.
keepFresh((heartbeat) => void daysLoading?.then(() => days?.takeHeartbeat(heartbeat)), {
  changing: () => search?.removeSearch(),
  changed: enhance,
});
enhance();
setInterval(tellTime, 60_000);
if (first("[data-heartbeat] [data-report], .evidence") !== undefined) void loadDays();
openMirror(location.hash);
addEventListener("click", ({ target }) => {
  if (target instanceof Element) openMirror(target.closest("a")?.getAttribute("href") ?? "");
});
for (const type of ["pointerover", "focusin", "click"]) document.addEventListener(type, loadForBar);

/** Opens what is known about a mirror before the browser scrolls to it, since not every browser does. */
function openMirror(href: string): void {
  const details = href.startsWith("#node-") && first(href)?.closest("details");
  if (details) details.open = true;
}

function enhance(): void {
  recommendNearby();
  void addSearch();
  if (first("#filter") !== undefined)
    void import("./filter.ts").then(({ addFilter }) => {
      addFilter();
    });
  addCopyButtons();
  days?.improveDays();
  tellTime();
}

function loadDays(): Promise<void> {
  return (daysLoading ??= import("./days.ts").then((module) => {
    days = module;
    days.improveDays();
  }));
}

/**
 * Loads the module for days when the reader points at, focuses or taps a bar on the overview. Then repeats a tap,
 * because the module was not there to handle it.
 */
function loadForBar(event: Event): void {
  const { target } = event;
  if (days !== undefined || !(target instanceof Element) || target.closest("a.days") === null) return;
  const loading = loadDays();
  if (!(event instanceof PointerEvent) || event.type !== "click" || event.pointerType !== "touch") return;
  event.preventDefault();
  void loading.then(() => target.dispatchEvent(new PointerEvent("click", event)));
}

/** If the URL may have a filter, hides the page below the search until the filter has been applied. */
async function addSearch(): Promise<void> {
  if (first("#search") === undefined) return;
  const { dataset } = document.documentElement;
  if (search === undefined && location.search !== "") dataset["searching"] = "";
  try {
    search ??= await import("./search.ts");
    await search.addSearch(() => {
      addCopyButtons();
      tellTime();
    });
  } finally {
    delete dataset["searching"];
  }
}

/** Fills in the site's URL where the build didn't know it, and adds copy buttons. */
function addCopyButtons(): void {
  const { url, top = "" } = first("dl[data-url]")?.dataset ?? {};
  for (const code of all("[data-copy]")) {
    if (url !== undefined && code.textContent.includes(url))
      code.textContent = code.textContent.replaceAll(url, new URL(top, location.href).href.slice(0, -1));
    if (!isSecureContext || code.nextElementSibling !== null) continue;
    const button = make("button", {}, "Copy");
    const link = code.getAttribute("href");
    // Tells the buttons apart, since a page has one for each target.
    if (link !== null) button.ariaLabel = `Copy ${link}`;
    button.addEventListener("click", () => void copy(link ?? code.textContent, button));
    code.after(button);
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Not allowed",
  );
  first(".live")?.replaceChildren(button.textContent);
  setTimeout(() => (button.textContent = "Copy"), 2000);
}
