import { env } from "node:process";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { describeWith, findProgram } from "../../support/requirement.ts";
import "../../support/worker-exit.ts";
import { lastRun } from "./feeds.ts";
import { type ServedSite, servePages } from "../../support/pages-site.ts";

export const minute = 60_000;
export const desktop = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };
export const narrow = { width: 320, height: 640 };

/** Opens tabs for a suite. Each is closed after its test, which fails if the browser logged anything to the console. */
export interface Tabs {
  /** `framed` is the origin of what the page shows in a frame, if it has one. */
  readonly open: (options?: BrowserContextOptions, framed?: string) => Promise<Page>;
  /** Opens a page of a site or of a feed, with the clock at `after` minutes after the last run, or 5. */
  readonly show: (
    site: ServedSite | Parameters<typeof servePages>[0],
    path: string,
    options?: BrowserContextOptions & { readonly after?: number },
  ) => Promise<Page>;
}

/** The message of Chromium about a request that a test aborts. */
const abortedByTest = /net::ERR_FAILED/;

/** Chromium without windows if it is there: with windows each tab takes three times the processor time. */
const chromiumPath = findProgram("chromium-headless-shell") ?? findProgram("chromium");

/** What a suite needs beside Chromium, and how it starts that. */
export interface BrowserNeeds extends Pick<LaunchOptions, "args" | "env"> {
  /** The name of what is needed. */
  readonly need?: string;
  readonly isMet?: boolean;
}

/** The browser of this worker, for the suites that start it alike. Playwright ends it when the worker exits. */
let shared: Promise<Browser> | undefined;

/** Describes a suite in Debian's Chromium. It is skipped if that is not installed. */
export function describeInBrowser(
  title: string,
  suite: (tabs: Tabs) => void,
  { need, isMet = true, ...own }: BrowserNeeds = {},
): void {
  const needed = need === undefined ? "chromium" : `chromium and ${need}`;
  describeWith(needed, chromiumPath !== undefined && isMet, title, () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await (Object.keys(own).length === 0 ? (shared ??= startBrowser()) : startBrowser(own));
    });
    afterAll(async () => {
      if (browser !== (await shared)) await browser.close();
    });

    const open: Tabs["open"] = async (options = {}, framed) => {
      const context = await browser.newContext({ viewport: desktop, ...options });
      const tab = await context.newPage();
      const messages: string[] = [];
      const origins = new Set<string>();
      tab.on("console", (message) => {
        if (!abortedByTest.test(message.text())) messages.push(message.text());
      });
      tab.on("pageerror", (error) => messages.push(error.message));
      tab.on("request", (request) => origins.add(new URL(request.url()).origin));
      onTestFinished(async () => {
        const own = new URL(tab.url()).origin;
        await context.close();
        expect(messages).toEqual([]);
        origins.delete(own);
        expect([...origins]).toEqual(framed === undefined ? [] : [framed]);
      });
      return tab;
    };

    suite({
      open,
      show: async (site, path, { after = 5, ...options } = {}) => {
        const { url } = "url" in site ? site : await servePages(site);
        const tab = await open(options);
        await tab.clock.install({ time: lastRun + after * minute });
        await tab.goto(url + path);
        return tab;
      },
    });
  });
}

function startBrowser({ args = [], env: own }: Pick<LaunchOptions, "args" | "env"> = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? "",
    env: { ...env, ...own },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      ...args,
    ],
  });
}

/** Returns the label or the text of the focused element. */
export function focused(tab: Page): Promise<string> {
  return tab.evaluate(() => {
    const element = document.activeElement;
    return element?.ariaLabel ?? element?.textContent ?? "";
  });
}
