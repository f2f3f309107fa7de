import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { servePages } from "../../support/pages-site.ts";
import { textOf } from "../../support/text-of.ts";
import { everyView, examine, type Views } from "./axe.ts";
import { describeInBrowser, desktop, focused, narrow, phone } from "./browser.ts";
import {
  downFeed,
  firstFeed,
  healthyFeed,
  hostileFeed,
  largeFeed,
  manyMirrorsFeed,
  noticedFeed,
  offlineFeed,
  partialFeed,
  type PlayedFeed,
} from "./feeds.ts";

const everySize: Views = { sizes: everyView.sizes, schemes: ["light"] };
const narrowView: Views = { sizes: [narrow], schemes: ["light"] };
const mainViews: Views = { sizes: [desktop, phone], schemes: ["light", "dark"] };

interface State {
  readonly play: () => PlayedFeed;
  /** By default, the overview. */
  readonly paths?: readonly string[] | ((feed: PlayedFeed) => readonly string[]);
  readonly isStale?: boolean;
  readonly views?: Views;
}

const states: Readonly<Record<string, State>> = {
  "each kind of page": { play: partialFeed, paths: kindsOfPages, views: everyView },
  "many mirrors": { play: () => manyMirrorsFeed(12, { downNow: 7 }), paths: kindsOfPages, views: everySize },
  "notices and maintenance": { play: noticedFeed, paths: ["/", "/incidents/", "/incidents/move/"] },
  "a stale feed": { play: partialFeed, isStale: true },
  "hostile names": { play: hostileFeed },
  "hostile names in a narrow window": { play: hostileFeed, paths: pathsOf, views: narrowView },
  "all is well": { play: healthyFeed },
  "everything down": { play: downFeed },
  "a first run": { play: firstFeed, paths: ["/", "/status/community/jcb/joomla-powers/"] },
  "a prober that was never online": { play: offlineFeed },
  "folded projects": { play: () => largeFeed(30) },
  "thousands of targets": { play: () => largeFeed(1010, 1), paths: ["/", "/status/large/project-3/"] },
};

describeInBrowser("the pages are accessible", (tabs) => {
  test.each(Object.entries(states))(
    "axe finds nothing: %s",
    async (_, { play, paths = ["/"], isStale = false, views = mainViews }) => {
      const played = play();
      const site = await servePages(played);
      const tab = await tabs.show(site, "/", { after: isStale ? 3 * 1440 : 5 });
      for (const path of typeof paths === "function" ? paths(played) : paths) {
        await tab.goto(site.url + path);
        await expect.poll(() => tab.locator(".stale").isVisible()).toBe(isStale);
        await unfold(tab, views === mainViews ? ".evidence, .projects" : "body");
        await examine(tab, views);
      }
    },
    // axe takes seconds for a long page, and much longer on a busy machine.
    300_000,
  );

  test("with the keyboard alone one skips to the content, finds a mirror and opens its incident", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("Skip to the content");
    await tab.keyboard.press("Enter");
    await tab.getByRole("searchbox").waitFor();
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
    await tab.keyboard.type("super");
    await expect.poll(() => tab.locator("[data-item]:visible").count()).toBeLessThan(3);
    await tabTo(tab, /^super-powers$/);
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/status/community/jcb/super-powers/");
    await tabTo(tab, /^It did not answer in time, for/);
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/incidents/*/");
    expect(await tab.locator("h1").innerText()).toContain("is offline");
  });

  test("in forced colors marks, strips and the chart have the color of text, and what is pressed another one", async () => {
    const path = "/status/linux/archive/release-1/7/";
    const tab = await tabs.show(manyMirrorsFeed(9), path, { forcedColors: "active" });
    await tab.locator(".ranges button").first().waitFor();
    const colorsOf = (
      selector: string,
      property: "color" | "stroke" | "backgroundColor",
    ): Promise<string[]> =>
      tab
        .locator(selector)
        .evaluateAll((all, name) => [...new Set(all.map((one) => getComputedStyle(one)[name]))], property);
    const text = await colorsOf("body", "color");
    for (const drawn of ["h1 .shape", ".days path", ".chart path"])
      expect(await colorsOf(drawn, "stroke"), drawn).toEqual(text);
    const pressed = await colorsOf('.ranges [aria-pressed="true"]', "backgroundColor");
    expect(pressed).not.toEqual(await colorsOf('.ranges [aria-pressed="false"]', "backgroundColor"));
  });

  test("every focus stop of a page can be seen", async () => {
    const tab = await tabs.show(partialFeed(), "/status/community/jcb/joomla-powers/");
    for (let stops = 0; ; stops += 1) {
      await tab.keyboard.press("Tab");
      const stop = await tab.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return undefined;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const { width, height } = element.getBoundingClientRect();
        return { outlineStyle, outlineWidth, isSized: width * height > 0 };
      });
      if (stop === undefined) {
        expect(stops).toBeGreaterThan(15);
        return;
      }
      expect(stop).toEqual({ outlineStyle: "solid", outlineWidth: "2px", isSized: true });
    }
  });

  test("on paper it has every node, and nothing to click on", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await tab.emulateMedia({ media: "print" });
    expect(await tab.locator(".node:visible").count()).toBe(22);
    expect(await tab.getByRole("searchbox").isVisible()).toBe(false);
    expect(await tab.getByRole("navigation").count()).toBe(0);
  });
});

function pathsOf({ feed }: PlayedFeed): string[] {
  const pages = renderPages(feed).filter(({ path }) => path.endsWith("index.html"));
  // Some redirect to the overview.
  const own = pages.filter((file) => !textOf(file).includes('http-equiv="refresh"'));
  return own.map(({ path }) => `/${path.replace(/index\.html$/, "")}`);
}

/** Returns one page of each kind, including kinds added later. */
function kindsOfPages(played: PlayedFeed): string[] {
  const kindOf = (path: string): string => `${path.split("/")[1] ?? ""} ${path.split("/").length}`;
  return [...new Map(pathsOf(played).map((path) => [kindOf(path), path])).values()];
}

/** Opens details, and lays out rows outside the view at their full size, so that axe examines them too. */
async function unfold(tab: Page, within: string): Promise<void> {
  await tab.evaluate((selector) => {
    for (const details of document.querySelector(selector)?.querySelectorAll("details") ?? [])
      details.open = true;
    for (const row of document.querySelectorAll<HTMLElement>(".mirrors tr"))
      row.style.contentVisibility = "visible";
  }, within);
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(tab: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (!name.test(passed.at(-1) ?? "")) {
    expect(passed.length, passed.join(", ")).toBeLessThan(100);
    await tab.keyboard.press("Tab");
    passed.push(await focused(tab));
  }
}
