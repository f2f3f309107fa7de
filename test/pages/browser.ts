import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { describeWith, findProgram } from "../support/requirement.ts";
import { lastRun } from "./feeds.ts";
import type { ServedSite } from "../support/pages-site.ts";

export const minute = 60_000;
export const desktop = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };

/** How a suite opens tabs: each is closed with its test, and nothing may go wrong in it that a browser complains of. */
export interface Tabs {
  readonly open: (options?: BrowserContextOptions) => Promise<Page>;
  /** A page of a site at so many minutes after its last run. */
  readonly show: (
    site: ServedSite,
    path: string,
    after: number,
    options?: BrowserContextOptions,
  ) => Promise<Page>;
}

/** What chromium says of a request that a test aborts. */
const abortedByTest = /net::ERR_FAILED/;

const chromiumPath = findProgram("chromium");

/** A suite in Debian's chromium. */
export function describeInBrowser(title: string, suite: (tabs: Tabs) => void): void {
  describeWith("chromium", chromiumPath !== undefined, title, () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: chromiumPath ?? "",
        args: [
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--no-first-run",
        ],
      });
    });
    afterAll(() => browser.close());

    const open: Tabs["open"] = async (options = {}) => {
      const context = await browser.newContext({ viewport: desktop, ...options });
      const tab = await context.newPage();
      const errorOutputs: string[] = [];
      const origins = new Set<string>();
      tab.on("console", (message) => {
        if (!abortedByTest.test(message.text())) errorOutputs.push(message.text());
      });
      tab.on("pageerror", (error) => errorOutputs.push(error.message));
      tab.on("request", (request) => origins.add(new URL(request.url()).origin));
      onTestFinished(async () => {
        const own = new URL(tab.url()).origin;
        await context.close();
        expect(errorOutputs).toEqual([]);
        expect([...origins]).toEqual([own]);
      });
      return tab;
    };

    suite({
      open,
      show: async ({ url }, path, after, options) => {
        const tab = await open(options);
        await tab.clock.install({ time: lastRun + after * minute });
        await tab.goto(url + path);
        return tab;
      },
    });
  });
}

/** The name of what has the focus. */
export function focused(tab: Page): Promise<string> {
  return tab.evaluate(() => {
    const element = document.activeElement;
    return element?.ariaLabel ?? element?.textContent ?? "";
  });
}
