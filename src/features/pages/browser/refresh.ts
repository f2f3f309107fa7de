import { isValidNow, takeClock, takeRun, takeRunOf, tellTime } from "./age.ts";
import { first, nextTask } from "./elements.ts";
import { type Changes, keepSource } from "./replace.ts";

const period = 2 * 60_000;
const maxWait = 32 * 60_000;

/**
 * Updates the page while it is visible. Pages other than the overview poll the heartbeat, and fetch themselves again
 * only when the heartbeat has changed. Each failure doubles the time until the next attempt. `showRun` gets the
 * heartbeat, except on the overview, whose HTML contains everything about the run.
 */
export function keepFresh(showRun: (heartbeat: string) => void, changes: Changes): void {
  const main = first("main");
  const path = main?.dataset["heartbeat"];
  if (main === undefined || (path ?? first(".run time")) === undefined) return;
  const update = keepSource(main, changes);
  /** The newest heartbeat, until the page shows the same run. */
  let unshown: string | undefined;
  let wait = period;
  // The first request is sent at once if the page lacks the time of the last run. It is also sent at once if the page
  // seems expired, because the reader's clock may be wrong, and the response has the host's time.
  let dueAt = path === undefined && isValidNow() ? Date.now() + wait : 0;
  let timer = 0;

  const fetchPage = pollDocument(location.pathname, async (text) => {
    const next = new DOMParser().parseFromString(text, "text/html");
    const content = next.querySelector("main");
    if (content === null) return false;
    if (path === undefined) takeRunOf(next);
    await update(content);
    return true;
  });

  const fetchHeartbeat = pollDocument(path ?? "", (text) => {
    if (!takeRun(text)) return false;
    unshown = text;
    return true;
  });

  const refresh = async (): Promise<boolean> => {
    if (path === undefined) return fetchPage();
    if (!(await fetchHeartbeat())) return false;
    if (unshown === undefined) return true;
    if (!(await fetchPage())) return false;
    // Only now, since it changes rows, and updating the page has copied them as the host sent them.
    await nextTask();
    showRun(unshown);
    unshown = undefined;
    return true;
  };

  const run = async (): Promise<void> => {
    // Prevents a second refresh while this one runs.
    dueAt = Infinity;
    const isDone = await refresh();
    wait = isDone ? period : Math.min(wait * 2, maxWait);
    dueAt = Date.now() + wait;
    if (isDone) tellTime();
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
 * Returns a function that fetches a document and, if the text has changed, passes it to `take`. The function resolves
 * to false if the fetch or `take` fails.
 */
function pollDocument(path: string, take: (text: string) => boolean | Promise<boolean>) {
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
      // Text that `take` refuses, such as a login page, is not remembered.
      if (text !== knownText && !(await take(text))) return false;
      knownTag = tag;
      knownText = text;
      return true;
    } catch {
      // All errors are treated alike, because the next refresh tries again.
      return false;
    }
  };
}
