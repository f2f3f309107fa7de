import { describe, expect, test } from "vitest";
import { type Feed, nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { bareUrl, nameWithUrl } from "../../../src/core/base/text/url.ts";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { servePages } from "../../support/pages-site.ts";
import { textOf } from "../../support/text-of.ts";
import { describeInBrowser, narrow } from "./browser.ts";
import {
  countriesFeed,
  fourFeed,
  hostileFeed,
  largeFeed,
  manyMirrorsFeed,
  partialFeed,
  type PlayedFeed,
} from "./feeds.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";

function pageOf({ feed }: Pick<PlayedFeed, "feed">, path: string): string {
  return textOf(renderPages(feed).find((file) => file.path === path));
}

function withNodes(feed: Feed, change: (node: FeedNode) => FeedNode): { feed: Feed } {
  const systems = feed.systems.map((system) => ({
    ...system,
    projects: system.projects.map((project) => ({
      ...project,
      targets: project.targets.map((target) => ({ ...target, nodes: target.nodes.map(change) })),
    })),
  }));
  return { feed: { ...feed, systems } };
}

function visible(html: string): string {
  return html
    .replaceAll("<wbr/>", "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

describe("the home of a feed", () => {
  test("of one target is the page of that target, with the times of the run and the incidents", () => {
    const html = pageOf(fourFeed(["online", "behind", "online", "online"], { split: [] }), "index.html");
    const text = visible(html);
    expect(text).toContain("archive: 1 of 4 mirrors is behind. Last run 21 Nov 2026, 12:00 UTC .");
    expect(text).toContain("Best mirror, in sync https://");
    expect(text).toContain("Recent incidents");
    expect(html).toContain('data-expires-at="2026-11-22T06:00:00.000Z"');
    expect(html).not.toContain("breadcrumbs");
    // Each chart includes today, as on every overview.
    expect(html.match(/<svg viewBox="0 0 366 24"/g)).toHaveLength(4);
  });

  test.each([
    ["one project", partialFeed, ["status/", "status/community/", "status/community/jcb/"]],
    ["one system", () => largeFeed(30), ["status/", "status/large/"]],
  ])("is what pages that would repeat it lead to: %s", (_, play, folders) => {
    const files = renderPages(play().feed);
    const leading = files.filter(
      ({ path }) =>
        path.endsWith(".html") && textOf(files.find((file) => file.path === path)).includes("refresh"),
    );
    expect(leading.map(({ path }) => path)).toEqual(folders.map((folder) => `${folder}index.html`));
  });

  test("is the only page above a target in a feed of one project", () => {
    const html = pageOf(partialFeed(), "status/community/jcb/gitea/index.html");
    const trail = /<nav class=breadcrumbs.*?<\/nav>/.exec(html)?.[0] ?? "";
    expect(visible(trail)).toBe(" Overview gitea ");
  });
});

describe("the best mirror of each target", () => {
  const bestOf = (html: string): string[] =>
    [...html.matchAll(/<small> (best[^<]*)<\/small>\u00a0<a class="go" href="([^"]*)"[^>]* data-copy/g)].map(
      ([, word = "", url = ""]) => `${word} ${url}`,
    );

  test("is marked on the overview, unless none answers", () => {
    const best = bestOf(pageOf(partialFeed(), "index.html"));
    expect(best).toHaveLength(10);
    expect(best[0]).toBe("best https://git.vdm.dev/joomla/super-powers");
    expect(best.join()).not.toContain("gitea");
  });

  test("is called merely reachable if it has a problem", () => {
    const wrong = withNodes(partialFeed().feed, (node) => ({ ...node, state: "wrong" }));
    const words = bestOf(pageOf(wrong, "index.html")).map((text) => text.split(" https")[0]);
    expect(new Set(words)).toEqual(new Set(["best reachable"]));
  });
});

test.each([
  ["a.example.org/b", "https://a.example.org/b/", "a.example.org/b"],
  ["a.example.org", "https://a.example.org/b", "a.example.org/b"],
  ["Mirror a.example.org/b", "https://a.example.org/b", "Mirror a.example.org/b"],
  ["Berlin", "https://a.example.org/b", undefined],
])("the name %s and the URL %s are written once if one contains the other", (name, url, whole) => {
  expect(nameWithUrl(name, url)).toBe(whole);
  const pages = withNodes(partialFeed().feed, (node) => ({ ...node, name, url }));
  const row = /<li class="node".*?<\/li>/.exec(pageOf(pages, "index.html"))?.[0] ?? "";
  expect(row).toContain(`href="${url}"`);
  expect(visible(row).split(bareUrl(url))).toHaveLength(2);
});

test("a mirror that is behind says how far", () => {
  const behind_since = "2026-11-21T11:59:30.000Z";
  const pages = withNodes(partialFeed().feed, (node) => {
    return { ...node, state: "behind", freshness: "behind", behind_since, lag_seconds: 3 * 86_400 };
  });
  expect(visible(pageOf(pages, "index.html"))).toMatch(
    /Behind · since [^·]+ · 3 days older than the reference /,
  );
  expect(visible(pageOf(pages, "status/community/jcb/packages/index.html"))).toContain(
    "No mirror of this target is up to date. This one is 3 days older than the reference.",
  );
});

describe("countries", () => {
  const played = countriesFeed();

  test("have a column, and a list for each", () => {
    const overview = pageOf(played, "index.html");
    const rows = [...overview.matchAll(/<li class="node".*?<\/li>/g)].map(([row]) => row);
    expect(rows).toHaveLength(12);
    expect(rows[0]).toContain(
      '<a class="country" href="./country/de/linux/archive/debian.txt" title="Mirror list for Germany">DE</a>',
    );
    expect(rows[3]).not.toContain("country");
    const target = pageOf(played, "status/linux/archive/debian/index.html");
    expect(target).toContain("<th scope=col>Country");
    expect(target).toContain("<td class=country title=Japan>JP");
    expect(visible(target)).toContain("Mirror lists by country: Germany , France , Japan .");
    expect(pageOf(partialFeed(), "index.html")).not.toContain('ountry"');
  });
});

describeInBrowser("the pages at first sight", (tabs) => {
  const heights = (selector: string): string =>
    `[...document.querySelectorAll("${selector}")].map((row) => row.getBoundingClientRect().height)`;

  test.each([
    ["two for each of eleven targets", partialFeed],
    ["twenty-two of one target", () => manyMirrorsFeed(22)],
    ["one for each of twenty-two targets", () => manyMirrorsFeed(1, { targets: 22 })],
  ])("22 mirrors, %s, take two and a half screens, and each row no more than a finger", async (_, play) => {
    const tab = await tabs.show(play(), "/");
    await tab.getByRole("searchbox").waitFor();
    expect(await tab.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(2400);
    const rows: number[] = await tab.evaluate(heights("[data-item]"));
    expect(rows).toHaveLength(22);
    expect(Math.max(...rows)).toBeLessThanOrEqual(44);
  });

  test("names, states and numbers of a row are on one line", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    const lines = await tab
      .locator(".node")
      .first()
      .locator(".name a:first-child, .notes b, .ratio, .latency > span")
      .evaluateAll((parts) =>
        parts.map((part) => {
          const mark = document.createElement("span");
          mark.style.display = "inline-block";
          part.append(mark);
          return Math.round(mark.getBoundingClientRect().bottom);
        }),
      );
    expect(lines).toHaveLength(4);
    expect(new Set(lines).size).toBe(1);
  });

  test("the search comes right below the headline, a link shows its filter, and what is found is next", async () => {
    const tab = await tabs.show(partialFeed(), "/?q=packages&state=differs");
    await expect.poll(() => tab.locator(".node:visible").count()).toBe(1);
    expect(await tab.locator(".state + #search").count()).toBe(1);
    expect(await tab.locator(".problems").isVisible()).toBe(false);
    expect(await tab.getByRole("searchbox").inputValue()).toBe("packages");
    await tab.getByRole("button", { name: "Clear" }).click();
    expect(await tab.locator(".problems").isVisible()).toBe(true);
  });

  test("what is left out of the problems and of the results can be seen, with the filter in view", async () => {
    const tab = await tabs.show(largeFeed(300, 4, 3, 5), "/");
    await tab.getByRole("link", { name: /^and \d+ more$/ }).click();
    const results = tab.locator(".results .node");
    await expect.poll(() => results.count()).toBe(50);
    await expect
      .poll(() => tab.evaluate("document.querySelector('#search').getBoundingClientRect().top"))
      .toBeLessThan(600);
    expect(
      await tab.evaluate("document.querySelector('#search').getBoundingClientRect().top"),
    ).toBeGreaterThanOrEqual(0);
    await tab.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => results.count()).toBe(243);
    expect(await tab.getByRole("button", { name: "Show all" }).count()).toBe(0);
  });

  test("a country is chosen by its name, and kept in the URL", async () => {
    const tab = await tabs.show(countriesFeed(), "/");
    const choice = tab.getByRole("combobox", { name: "Country" });
    await choice.selectOption({ label: "France (3)" });
    expect(await tab.locator(".node:visible").count()).toBe(3);
    expect(new URL(tab.url()).search).toBe("?country=FR");
    await tab.reload();
    await expect.poll(() => tab.locator(".node:visible").count()).toBe(3);
    expect(await choice.inputValue()).toBe("FR");
  });

  test("the URL of the best mirror of a target is copied from its row", async () => {
    const tab = await tabs.show(partialFeed(), "/", { permissions: ["clipboard-read", "clipboard-write"] });
    await tab.getByRole("button", { name: "Copy https://git.vdm.dev/joomla/packages" }).click();
    await expect
      .poll(() => tab.evaluate(() => navigator.clipboard.readText()))
      .toBe("https://git.vdm.dev/joomla/packages");
  });

  test("a page that would repeat the overview leads to it", async () => {
    const site = await servePages(partialFeed("/below"), "/below");
    const tab = await tabs.show(site, "/below/status/community/jcb/");
    await tab.waitForURL(`${site.url}/below/`);
  });

  test("a narrow screen shows hostile names without scrolling sideways", async () => {
    const played = hostileFeed();
    const tab = await tabs.show(played, "/", { viewport: narrow });
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    expect(nodesOf(targetsOf(played.feed.systems)).length).toBe(await tab.locator(".node").count());
  });
});
