import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { renderPages } from "../../../src/outputs/pages/pages.tsx";
import type { Feed } from "../../../src/feed/feed.ts";
import { everySize, everyView, examine, type Views } from "./axe.ts";
import { describeInBrowser, narrow } from "./browser.ts";
import { hostileFeed, manyMirrorsFeed, partialFeed, type PlayedFeed } from "./feeds.ts";
import { servePages } from "../../support/pages-site.ts";

const feeds: Readonly<Record<string, readonly [feed: () => PlayedFeed, views: Views]>> = {
  "light, dark and in forced colors": [partialFeed, everyView],
  "in German": [() => partialFeed("", { language: "de" }), everySize],
  "of a target with many mirrors": [() => manyMirrorsFeed(40), everySize],
};

/** Axe takes seconds for a long page, and many more on a busy machine. */
const axeTimeoutMs = 300_000;

// accessibility.test.ts examines the most important pages on each push.
describeInBrowser("each kind of page", (tabs) => {
  test.each(Object.entries(feeds))(
    "axe finds nothing at 320, 390 and 1280 px, %s",
    async (_, [play, views]) => {
      const { feed } = play();
      const site = await servePages({ feed });
      const tab = await tabs.show(site, "/", 5);
      for (const path of kindsOfPages(feed)) {
        await tab.goto(site.url + path);
        await unfold(tab);
        await examine(tab, views);
      }
    },
    axeTimeoutMs,
  );

  test("without JavaScript each mirror has its URL and its state on each page that has its row", async () => {
    const { feed } = partialFeed();
    const site = await servePages({ feed });
    const tab = await tabs.open({ javaScriptEnabled: false });
    for (const path of kindsOfPages(feed)) {
      await tab.goto(site.url + path);
      await unfold(tab);
      // The section of a mirror is on the page of its row.
      const rows = await tab.locator("[data-item]").all();
      for (const row of rows) {
        const id = await row.getAttribute("data-node");
        const url = listed(feed).get(Number(id)) ?? "";
        const text = await row.innerText();
        expect(text, path).toContain(url);
        expect(text, path).toMatch(/online|offline|no verdict/i);
      }
    }
  });

  test("hostile names and those written from right to left need no horizontal scrolling at 320 px", async () => {
    const feed = hostileFeed();
    const site = await servePages(feed);
    const tab = await tabs.show(site, "/", 5, { viewport: narrow });
    for (const path of pagesOf(feed.feed)) {
      await tab.goto(site.url + path);
      await unfold(tab);
      const tooWide = await tab.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect(tooWide, path).toBeLessThanOrEqual(0);
    }
  });
});

function pagesOf(feed: Feed): string[] {
  return renderPages(feed)
    .filter(({ path }) => path.endsWith("index.html"))
    .map(({ path }) => `/${path.replace(/index\.html$/, "")}`);
}

/** Returns the first page of each kind: a new kind is examined with the others. */
function kindsOfPages(feed: Feed): string[] {
  const kindOf = (path: string): string => `${path.split("/")[1] ?? ""} ${path.split("/").length}`;
  return [
    ...new Map(
      pagesOf(feed)
        .reverse()
        .map((path) => [kindOf(path), path]),
    ).values(),
  ].reverse();
}

/** Opens all details, and lays out the rows that are far away, so that they are examined too, as large as they become. */
async function unfold(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const row of document.querySelectorAll<HTMLElement>(".mirrors tr"))
      row.style.contentVisibility = "visible";
  });
}

function listed(feed: Feed): Map<number, string> {
  const nodes = feed.systems.flatMap(({ projects }) =>
    projects.flatMap(({ targets }) => targets.flatMap((target) => target.nodes)),
  );
  return new Map(nodes.map(({ id, url }) => [id, url]));
}
