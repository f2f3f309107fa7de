import { isValidNow, takeClock, takeRun, takeRunOf } from "./age.ts";
import { first } from "./elements.ts";
import { keepSource } from "./replace.ts";

const period = 2 * 60_000;
const maxWait = 32 * 60_000;

interface Refreshing {
  /** The overview needs no heartbeat: its HTML has all of its run. */
  readonly heartbeat: (text: string) => void;
  readonly changing: () => void;
  readonly changed: () => void;
  readonly fetched: () => void;
}

/**
 * Fetches the page again while it is visible, and changes what differs. Pages other than the overview take the time of
 * the run from the heartbeat, and are fetched again only if that has changed. A failure doubles the wait.
 */
export function keepFresh({ heartbeat, changing, changed, fetched }: Refreshing): void {
  const main = first("main");
  const { expiresAt, heartbeat: path } = main?.dataset ?? {};
  if (main === undefined || (expiresAt ?? path) === undefined) return;
  const update = keepSource(main);
  let isPageDue = true;
  let wait = period;
  // A page without the time of a run needs the heartbeat's at once. One that seems expired needs the host's clock.
  let dueAt = path === undefined && isValidNow() ? Date.now() + wait : 0;
  let timer = 0;

  const fetchPage = pollDocument(location.pathname, async (text) => {
    const next = new DOMParser().parseFromString(text, "text/html");
    const content = next.querySelector("main");
    if (content === null) return false;
    if (path === undefined) takeRunOf(next);
    // Times as the host writes them are longer, and would move what is below them.
    await update(content, changing, fetched, changed);
    return true;
  });

  const fetchHeartbeat = pollDocument(path ?? "", (text) => {
    if (!takeRun(text)) return false;
    heartbeat(text);
    isPageDue = true;
    return true;
  });

  const refresh = async (): Promise<boolean> => {
    if (path === undefined) return fetchPage();
    if (!(await fetchHeartbeat())) return false;
    if (isPageDue) isPageDue = !(await fetchPage());
    return !isPageDue;
  };

  const run = async (): Promise<void> => {
    // No second one begins while this one waits.
    dueAt = Infinity;
    const isDone = await refresh();
    wait = isDone ? period : Math.min(wait * 2, maxWait);
    dueAt = Date.now() + wait;
    if (isDone) fetched();
    plan();
  };

  const plan = (): void => {
    clearTimeout(timer);
    if (!document.hidden && dueAt < Infinity)
      timer = setTimeout(() => void run(), Math.max(0, dueAt - Date.now()));
  };

  document.addEventListener("visibilitychange", plan);
  plan();
}

/**
 * Returns a function that fetches a document again and passes new text to `take`, which returns whether it was usable.
 * Returns whether the document is known now.
 */
function pollDocument(
  path: string,
  take: (text: string) => boolean | Promise<boolean>,
): () => Promise<boolean> {
  let knownTag: string | null = null;
  let knownText: string | undefined;
  return async () => {
    try {
      const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(30_000) });
      if (!response.ok) return false;
      takeClock(response.headers);
      const tag = response.headers.get("etag");
      if (tag !== null && tag === knownTag) {
        await response.body?.cancel();
        return true;
      }
      const text = await response.text();
      // A login page in its place is not remembered.
      if (text !== knownText && !(await take(text))) return false;
      knownTag = tag;
      knownText = text;
      return true;
    } catch {
      // It is fetched again later, whatever the reason.
      return false;
    }
  };
}
