import { first } from "./elements.ts";
import { replaceMain } from "./replace.ts";
import { takeRun } from "./staleness.ts";

const period = 2 * 60_000;
const maxWait = 32 * 60_000;
const fetchTimeout = 30_000;

/**
 * Fetches the page again while it is visible, and replaces its content if that changed. Calls `changed` then, and
 * `fetched` after every successful fetch. Focus, scroll and open details stay. A failure doubles the wait.
 */
export function keepFresh(changed: () => void, fetched: () => void): void {
  const main = first("main");
  const { expiresAt, overview } = main?.dataset ?? {};
  if (main === undefined || (expiresAt ?? overview) === undefined) return;
  let source = main.outerHTML;
  let wait = period;
  // A page without the time of a run needs that of the overview at once.
  let dueAt = overview === undefined ? Date.now() + wait : 0;
  let timer = 0;

  const refresh = async (): Promise<void> => {
    dueAt = Date.now() + wait;
    const page = await fetchDocument(location.pathname);
    const run = overview === undefined ? page : await fetchDocument(overview);
    const next = page?.querySelector("main");
    wait = next && run ? period : Math.min(wait * 2, maxWait);
    dueAt = Date.now() + wait;
    plan();
    if (!next || !run) return;
    takeRun(run);
    if (next.outerHTML !== source) {
      source = next.outerHTML;
      replaceMain(next, changed);
    }
    fetched();
  };

  const plan = (): void => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => void refresh(), Math.max(0, dueAt - Date.now()));
  };

  document.addEventListener("visibilitychange", plan);
  plan();
}

/** Returns the document at a path, or undefined if it cannot be fetched now. */
async function fetchDocument(path: string): Promise<Document | undefined> {
  try {
    const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(fetchTimeout) });
    if (!response.ok) return undefined;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    // It is fetched again later, whatever the reason.
    return undefined;
  }
}
