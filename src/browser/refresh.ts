import { first } from "./elements.ts";
import { replaceMain } from "./replace.ts";
import { takeRun } from "./staleness.ts";

const period = 2 * 60_000;
const longestWait = 32 * 60_000;
const fetchTimeout = 30_000;

/**
 * Fetches the page again while it is seen, and puts its content in place where that changed: `changed` is called then,
 * and `fetched` after every fetch that succeeded. Focus, scroll and what is open stay. A failure doubles the wait.
 */
export function keepFresh(changed: () => void, fetched: () => void): void {
  const main = first("main");
  const { expiresAt, overview } = main?.dataset ?? {};
  if (main === undefined || (expiresAt ?? overview) === undefined) return;
  let source = main.outerHTML;
  let wait = period;
  // A page without a run's moment needs the overview's at once.
  let dueAt = overview === undefined ? Date.now() + wait : 0;
  let timer = 0;

  const refresh = async (): Promise<void> => {
    dueAt = Date.now() + wait;
    const page = await fetchDocument(location.pathname);
    const run = overview === undefined ? page : await fetchDocument(overview);
    const next = page?.querySelector("main");
    wait = next && run ? period : Math.min(wait * 2, longestWait);
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

/** The document at a path, or undefined where it cannot be had now. */
async function fetchDocument(path: string): Promise<Document | undefined> {
  try {
    const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(fetchTimeout) });
    if (!response.ok) return undefined;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    // Whatever the reason, it is asked again later.
    return undefined;
  }
}
