import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { contentOf } from "../../src/core/base/files/site-file.ts";
import type { Feed } from "../../src/core/feed/feed.ts";
import { renderPages } from "../../src/features/pages/pages.tsx";
import { renderReport } from "../../src/core/site/report.ts";
import { readPublic } from "../../src/core/site/public.ts";
import { lastRun, manyMirrorsFeed } from "../features/pages/feeds.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { installed, times } from "./measure.ts";
import type { Row } from "./table.ts";

/** What it costs to open a page on a screen of a phone's size, with this machine's CPU slowed to a quarter of its speed. */
interface Opening {
  /** All files, compressed. */
  readonly kilobytes: number;
  readonly elements: number;
  /** Sum of the milliseconds by which tasks exceed 50 ms. */
  readonly blocking: number;
}

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly args?: { readonly data?: { readonly message?: string } };
    /** CPU time in microseconds. Unlike the duration, it does not depend on how busy the machine is. */
    readonly tdur?: number;
  }[];
}

export async function pageRows(mirrors: number): Promise<Row[]> {
  const executablePath = installed("chromium") ?? installed("chromium-headless-shell");
  if (executablePath === undefined)
    return [{ what: "the pages in a browser", unit: "elements", own: [], peer: "chromium" }];
  const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox"] });
  try {
    const overview = await openings(browser, manyMirrorsFeed(1, { targets: 22 }).feed, "/");
    const target = await openings(browser, manyMirrorsFeed(mirrors).feed, "/status/linux/archive/release-1/");
    const [elements, blocking] = [target.map((one) => one.elements), target.map((one) => one.blocking)];
    const what = `target of ${mirrors} mirrors`;
    return [
      {
        what: "overview of 22 mirrors",
        unit: "kilobytes",
        own: overview.map((one) => one.kilobytes),
        goal: 21,
      },
      { what: `${what}, DOM elements`, unit: "elements", own: elements, goal: 12_000 },
      { what: `${what}, blocking at 4 × slowed CPU`, unit: "milliseconds", own: blocking, goal: 300 },
    ];
  } finally {
    await browser.close();
  }
}

/** Opens a page of a feed several times. The server renders each file when it is requested, and compresses it as hosts do. */
async function openings(browser: Browser, feed: Feed, path: string): Promise<Opening[]> {
  const assets = [...readPublic("public"), ...readPublic("dist/public")];
  const all = [...assets, ...renderPages(feed), ...renderReport(feed)];
  const files = new Map(all.map((file) => [file.path, file]));
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "", "http://localhost").pathname.slice(1);
    const candidates = [asked, join(asked, "index.html"), join(asked, "index.json")];
    const file = candidates.map((candidate) => files.get(candidate)).find((found) => found !== undefined);
    const type = types[file?.path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    response.writeHead(file === undefined ? 404 : 200, { "content-type": type, "content-encoding": "gzip" });
    response.end(gzipSync(file === undefined ? "" : contentOf(file)));
  });
  const { url, close } = await listenOnLoopback(server);
  try {
    return await times(5, () => measureOpening(browser, url + path));
  } finally {
    await close();
  }
}

const types: Partial<Record<string, string>> = {
  css: "text/css",
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
};

/** Opens a page with an empty cache, and measures until the page is idle. */
async function measureOpening(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await session.send("Network.enable");
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    // Sets the clock to the time of the feed. An expired feed would show a banner.
    await page.addInitScript((start) => {
      Date.now = () => start + performance.now();
    }, lastRun + 60_000);
    const mark = "mirrorfeed bench";
    const categories = ["disabled-by-default-devtools.timeline", "devtools.timeline"];
    await browser.startTracing(page, { categories });
    await page.goto(url, { waitUntil: "networkidle" });
    await page.evaluate(`console.timeStamp("${mark}")`);
    const { traceEvents }: Trace = JSON.parse((await browser.stopTracing()).toString());
    // The mark identifies the page's process and thread.
    const own = traceEvents.find(({ args }) => args?.data?.message === mark);
    const tasks = traceEvents
      .filter(({ name, pid, tid }) => name === "RunTask" && pid === own?.pid && tid === own.tid)
      .map(({ tdur = 0 }) => tdur / 1000);
    return {
      kilobytes: bytes / 1000,
      elements: await page.evaluate(() => document.querySelectorAll("*").length),
      blocking: tasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0),
    };
  } finally {
    await context.close();
  }
}
