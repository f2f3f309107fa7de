import { lastRun } from "../outputs/pages/feeds.ts";
import { type Browser, chromium, type Page } from "playwright-core";

/** What opening a page costs on a phone whose processor is four times as slow. */
export interface OpeningFigures {
  /** Kilobytes, compressed, of each type of resource. */
  readonly html: number;
  readonly css: number;
  readonly js: number;
  readonly other: number;
  readonly requests: number;
  readonly elements: number;
  /** Milliseconds until the first text or picture shows. */
  readonly firstPaint: number;
  /** Milliseconds that tasks take beyond 50 each. */
  readonly blocking: number;
  /** Milliseconds of processor time at full speed. */
  readonly longest: number;
  readonly layoutShift: number;
}

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly args?: { readonly data?: { readonly message?: string } };
    /** Processor time in microseconds. */
    readonly tdur?: number;
  }[];
}

const slowdown = 4;
const phone = { width: 390, height: 844 };

/** Starts Debian's Chromium. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** Opens a page with an empty cache, and measures until it is idle. */
export async function measureOpening(browser: Browser, url: string): Promise<OpeningFigures> {
  const context = await browser.newContext({ viewport: phone });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const kinds = new Map<string, string>();
    const bytes: Partial<Record<string, number>> = {};
    session.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId) ?? "Other";
      bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
    });
    await session.send("Network.enable");
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    // The feed is of one time, and shows a banner once it has expired.
    await page.addInitScript((start) => {
      Date.now = () => start + performance.now();
    }, lastRun + 60_000);
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if ("value" in entry && typeof entry.value === "number") {
            const before = Number(sessionStorage.getItem("shift"));
            sessionStorage.setItem("shift", String(before + entry.value));
          }
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    const tasks = await tasksDuring(browser, page, () => page.goto(url, { waitUntil: "networkidle" }));
    const inPage = await page.evaluate(() => ({
      elements: document.querySelectorAll("*").length,
      firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
      layoutShift: Number(sessionStorage.getItem("shift")),
    }));
    const kilobytes = (...named: string[]): number =>
      named.reduce((sum, kind) => sum + (bytes[kind] ?? 0), 0) / 1000;
    return {
      ...inPage,
      html: kilobytes("Document"),
      css: kilobytes("Stylesheet"),
      js: kilobytes("Script"),
      other: kilobytes(
        ...Object.keys(bytes).filter((kind) => !/^(?:Document|Stylesheet|Script)$/.test(kind)),
      ),
      requests: kinds.size,
      longest: Math.max(0, ...tasks) / slowdown,
      blocking: tasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0),
    };
  } finally {
    await context.close();
  }
}

/** What tasks of an open page take at full speed, in milliseconds. */
export interface TaskFigures {
  readonly longest: number;
  readonly sum: number;
}

/** Measures what a page does while something happens to it. */
export async function measureTasks(
  browser: Browser,
  page: Page,
  act: () => Promise<unknown>,
): Promise<TaskFigures> {
  const tasks = await tasksDuring(browser, page, act);
  return { longest: Math.max(0, ...tasks), sum: tasks.reduce((sum, task) => sum + task, 0) };
}

/**
 * Returns the processor time of each task of the page's main thread, in milliseconds. Unlike their duration that is the same on a
 * busy machine.
 */
async function tasksDuring(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<number[]> {
  const mark = "mirrorfeed bench";
  const categories = ["disabled-by-default-devtools.timeline", "devtools.timeline"];
  await browser.startTracing(page, { categories });
  await act();
  await page.evaluate(`console.timeStamp("${mark}")`);
  const { traceEvents }: Trace = JSON.parse((await browser.stopTracing()).toString());
  // The mark tells which thread of which process is that of the page.
  const own = traceEvents.find(({ args }) => args?.data?.message === mark);
  return traceEvents
    .filter(({ name, pid, tid }) => name === "RunTask" && pid === own?.pid && tid === own.tid)
    .map(({ tdur = 0 }) => tdur / 1000);
}
