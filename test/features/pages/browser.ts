import { existsSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { describeWith, findProgram } from "../../support/requirement.ts";
import "../../support/worker-exit.ts";
import { lastRun } from "./feeds.ts";
import { type ServedSite, servePages } from "../../support/pages-site.ts";

export const minute = 60_000;
export const desktop = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };
export const narrow = { width: 320, height: 640 };

/** Chromium's message if a test aborts a request. */
const abortedByTest = /net::ERR_FAILED/;

/** Prefers the headless shell, since each tab in the full Chromium takes three times the CPU time. */
const chromiumPath = findProgram("chromium-headless-shell") ?? findProgram("chromium");

const dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
export const hasBaselineFonts = existsSync(dejavu);
const fonts = hasBaselineFonts
  ? { FONTCONFIG_FILE: join(import.meta.dirname, "baselines", "fonts.conf") }
  : undefined;

/** One browser per worker. Playwright ends it when the worker exits. */
let started: Promise<Browser> | undefined;

/**
 * Opens a tab, and closes it after its test. The test fails if the page logged anything to the console, or sent requests
 * to other origins. If the page has a frame of another origin, `framed` is that origin, and requests to it are allowed.
 */
async function open(options: BrowserContextOptions = {}, framed?: string): Promise<Page> {
  const browser = await (started ??= startBrowser());
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
}

/** Opens a page of a site or a feed, with the clock set to `after` minutes after the last run. */
async function show(
  site: ServedSite | Parameters<typeof servePages>[0],
  path: string,
  { after = 5, ...options }: BrowserContextOptions & { readonly after?: number } = {},
): Promise<Page> {
  const { url } = "url" in site ? site : await servePages(site);
  const tab = await open(options);
  await tab.clock.install({ time: lastRun + after * minute });
  await tab.goto(url + path);
  return tab;
}

const tabs = { open, show };

export type Tabs = typeof tabs;

/** Runs a suite in Debian's Chromium, which renders the same everywhere. If Chromium is missing, skips the suite. */
export function describeInBrowser(title: string, suite: (own: Tabs) => void): void {
  describeWith("chromium", chromiumPath !== undefined, title, () => {
    suite(tabs);
  });
}

function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? "",
    env: { ...env, ...fonts },
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-lcd-text"],
  });
}

/** Returns the focused element's label or text. */
export function focused(tab: Page): Promise<string> {
  return tab.evaluate(() => {
    const element = document.activeElement;
    return element?.ariaLabel ?? element?.textContent ?? "";
  });
}
