import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { examine, mainViews } from "./axe.ts";
import { describeInBrowser, focused } from "./browser.ts";
import {
  downFeed,
  firstFeed,
  healthyFeed,
  hostileFeed,
  largeFeed,
  largeTargetFeed,
  offlineFeed,
  partialFeed,
  type PlayedFeed,
} from "./feeds.ts";
import { noticedFeed } from "./noticed-feed.ts";
import { servePages } from "../../support/pages-site.ts";

const targetPath = "/status/community/jcb/joomla-powers/";

const partial = partialFeed();

interface State {
  readonly play: () => PlayedFeed;
  readonly path?: string;
  readonly isStale?: boolean;
}

const noticed = noticedFeed();
const [latest] = noticed.feed.incidents;

/** A page of each kind, and pages in other states. */
const states: Readonly<Record<string, State>> = {
  "notices and maintenance": { play: () => noticed },
  "the list of incidents": { play: () => noticed, path: "/incidents/" },
  "an incident": { play: () => noticed, path: `/incidents/${latest?.id ?? ""}/` },
  "a notice": { play: () => noticed, path: "/incidents/move/" },
  "a stale feed": { play: () => partial, isStale: true },
  "a project": { play: () => partial, path: "/status/community/jcb/" },
  "a target": { play: () => partial, path: targetPath },
  "a mirror of a large target": { play: () => largeTargetFeed(9), path: "/status/large/packages/release/7/" },
  "hostile names": { play: () => hostileFeed() },
  "all is well": { play: () => healthyFeed() },
  "everything down": { play: () => downFeed() },
  "a first run": { play: () => firstFeed() },
  "a target after it": { play: () => firstFeed(), path: targetPath },
  "a prober that was never online": { play: () => offlineFeed() },
  "folded projects": { play: () => largeFeed(30) },
  "thousands of targets": { play: () => largeFeed(1010, 1) },
  "a project with a hundred of them": { play: () => largeFeed(1010, 1), path: "/status/large/project-3/" },
};

/** Axe takes seconds for a long page, and many more on a busy machine. */
const axeTimeoutMs = 120_000;

describeInBrowser("the status page is accessible", (tabs) => {
  test.each(Object.entries(states))(
    "axe finds nothing, light or dark, on a phone or not: %s",
    async (_, { play, path = "/", isStale = false }) => {
      const tab = await tabs.show(await servePages(play()), path, isStale ? 3 * 1440 : 5);
      await expect.poll(() => tab.locator(".stale").isVisible()).toBe(isStale);
      await unfoldFirst(tab);
      await examine(tab, mainViews);
    },
    axeTimeoutMs,
  );

  test("it works with the keyboard alone: skip link, bars with their text, details, search", async () => {
    const tab = await tabs.show(await servePages(partial), "/", 5);
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("Skip to the content");
    await tab.keyboard.press("Enter");
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("Subscribe");
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("git.vdm.dev/joomla/gitea");

    await tab.getByRole("searchbox").waitFor();
    await tab.keyboard.press("/");
    expect(await focused(tab)).toBe("Find mirrors by name or URL");
    // The order, five states, the project, the target, the mirror and its URL.
    for (let stops = 0; stops < 11; stops += 1) await tab.keyboard.press("Tab");
    expect(await focused(tab)).toMatch(
      /^git\.vdm\.dev\/joomla\/super-powers, 90 days: 99\.\d\d % uptime; .* days? with failures, last on .*; no failure today$/,
    );
    const words = await tab.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body, "::after").content,
    );
    expect(words).toContain("% uptime");

    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/status/community/jcb/super-powers/#node-1");
    const history = tab.locator("#history-1");
    await history.locator("summary").focus();
    await tab.keyboard.press("Enter");
    await expect.poll(() => history.locator("#days-1").isVisible()).toBe(true);
    expect(await tab.locator("#node-1 .chart").isVisible()).toBe(true);
  });

  test("in forced colors marks, strips and the chart have the color of text, and what is pressed another one", async () => {
    const site = await servePages(largeTargetFeed(9));
    const tab = await tabs.show(site, "/status/large/packages/release/7/", 5, { forcedColors: "active" });
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
    const tab = await tabs.show(await servePages(partial), targetPath, 5);
    const seen: string[] = [];
    for (;;) {
      await tab.keyboard.press("Tab");
      const stop = await tab.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return undefined;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const { width, height } = element.getBoundingClientRect();
        return {
          name: element.outerHTML.slice(0, 80),
          outlineStyle,
          outlineWidth,
          isSized: width * height > 0,
        };
      });
      if (stop === undefined) break;
      expect(stop).toMatchObject({ outlineStyle: "solid", outlineWidth: "2px", isSized: true });
      seen.push(stop.name);
    }
    expect(seen.length).toBeGreaterThan(15);
  });

  test("on paper it has every node, and nothing to click on", async () => {
    const tab = await tabs.show(await servePages(partial), "/", 5);
    await tab.emulateMedia({ media: "print" });
    expect(await tab.locator(".node:visible").count()).toBe(22);
    expect(await tab.getByRole("searchbox").isVisible()).toBe(false);
    expect(await tab.getByRole("navigation").count()).toBe(0);
  });
});

/** Opens the details of the first section, so that they are examined too. */
async function unfoldFirst(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const section = document.querySelector(".evidence, .projects");
    for (const details of section?.querySelectorAll("details") ?? []) details.open = true;
  });
}
