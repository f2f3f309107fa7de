import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Feed } from "../../../src/core/feed/feed.ts";
import { writeFiles } from "../../support/contract/feed.ts";
import { describeInBrowser, minute } from "./browser.ts";
import { downFeed, firstFeed, healthyFeed, offlineFeed, partialFeed } from "./feeds.ts";
import { pageOf } from "./rendered.ts";
import { servePages } from "../../support/pages-site.ts";

const partial = partialFeed();
const { feed } = partial;
const targetPath = "/status/community/jcb/joomla-powers/";

function withSite(site: Partial<Feed["site"]>): { readonly feed: Feed } {
  return { feed: { ...feed, site: { ...feed.site, ...site }, url: site.url?.replace(/\/$/, "") } };
}

describe("the head of a page", () => {
  test.each([
    ["healthy", healthyFeed(), "online", "Online"],
    ["partial", partial, "offline", "4 offline"],
    ["down", downFeed(), "offline", "22 offline"],
    ["first", firstFeed(), "some", "1 offline"],
    ["offline", offlineFeed(), "unknown", "22 unknown"],
  ])("has the state in the title and the icon: %s", (_, of, shape, state) => {
    const html = pageOf(of, "index.html");
    expect(html).toContain(`>${state} · Mirror status</title>`);
    expect(html).toContain(`href="./assets/icon-${shape}.svg"`);
    expect(html).toContain(`data-shape="${shape}" data-state="${state}"`);
  });

  test("has a link preview with absolute URLs if the site has one, and none otherwise", () => {
    expect(pageOf(partial, "index.html")).not.toContain('property="og:');
    const url = "https://status.example.org/mirrors/";
    const html = pageOf(withSite({ url }), `${targetPath.slice(1)}index.html`);
    // The title shows the state of the page's target, not of the whole site.
    expect(html).toContain(">1 behind · joomla-powers ");
    expect(html).toContain(`<meta property="og:url" content="${url}${targetPath.slice(1)}"/>`);
    expect(html).toContain(`<meta property="og:image" content="${url}assets/preview-some.png"/>`);
    expect(pageOf(withSite({ url }), "incidents/index.html")).toContain("/assets/preview.png");
  });

  test("has a manifest", () => {
    const manifest: unknown = JSON.parse(pageOf(partial, "site.webmanifest"));
    expect(manifest).toMatchObject({ name: "Mirror status", lang: "en", start_url: "./" });
  });

  const previews = ["", "-online", "-some", "-wrong", "-offline", "-unknown"].map(
    (state) => `preview${state}`,
  );
  test.each<[string, number, number]>([
    ...previews.map((name): [string, number, number] => [name, 1200, 630]),
    ["icon-192", 192, 192],
    ["icon-512", 512, 512],
  ])("has the picture %s.png of %i times %i pixels", (name, width, height) => {
    const picture = readFileSync(`public/assets/${name}.png`);
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([width, height]);
    expect(picture.length).toBeLessThan(6_000);
  });

  test("loads a stylesheet of the site only if there is an accent", () => {
    expect(pageOf(partial, "index.html")).not.toContain("assets/site.css");
    expect(pageOf(partial, "assets/site.css")).toBe("");
    const own = withSite({ accent: "#7a1fa2" });
    expect(pageOf(own, "index.html")).toContain('<link rel="stylesheet" href="./assets/site.css"/>');
    expect(pageOf(own, "assets/site.css")).toBe(
      "@supports(color:oklch(from red l c h)){:root{--accent:oklch(from #7a1fa2 min(l,0.5) c h)}@media(prefers-color-scheme:dark){:root{--accent:oklch(from #7a1fa2 max(l,0.7) c h)}}}\n",
    );
  });
});

test.each([
  [{}, "/"],
  [{ url: "https://example.org/a.b/feed/" }, "/a.b/feed/"],
])("the page of a missing path works at every depth: %j", (url, top) => {
  const html = pageOf(withSite(url), "errors/not-found.html");
  expect(html).toContain("<h1>Page not found</h1>");
  const found = html.matchAll(/<(?:a|link|script)\b[^>]* (?:href|src)="([^"]*)"/g);
  const links = [...found].map(([, href = ""]) => href);
  expect(links).toEqual(expect.arrayContaining([top, `${top}docs/`, `${top}assets/status.css`]));
  expect(links.filter((href) => !href.startsWith(top) && !/^(?:https:|#)/.test(href))).toEqual([]);
});

test("a static time is in the zone of the site", () => {
  const html = pageOf(withSite({ timezone: "Europe/Berlin" }), "index.html");
  expect(html).toContain('<html lang="en" data-timezone="Europe/Berlin">');
  expect(html).toContain('<time datetime="2026-11-21T12:00:00.000Z">21 Nov 2026, 13:00 CET</time>');
});

describeInBrowser("a site of one's own in a browser", (tabs) => {
  test("the title and the icon follow a refresh, and an expired feed is unknown", async () => {
    const site = await servePages(partial);
    const tab = await tabs.show(site, "/");
    expect(await tab.title()).toBe("4 offline · Mirror status");
    site.show(healthyFeed().feed);
    await expect
      .poll(async () => {
        await tab.clock.runFor(minute);
        return tab.title();
      })
      .toBe("Online · Mirror status");
    expect(await tab.locator("link[rel=icon][type][href$='assets/icon-online.svg']").count()).toBe(1);

    const stale = await tabs.show(site, "/", { after: 3 * 1440 });
    expect(await stale.title()).toBe("Unknown · Mirror status");
    expect(await stale.locator("link[rel=icon][type][href$='/icon-unknown.svg']").count()).toBe(1);
  });

  test("times are in the zone of the site, wherever the reader is", async () => {
    const zone = { timezoneId: "America/New_York", locale: "fr-FR" };
    const tab = await tabs.show(partial, "/", zone);
    const time = tab.locator(".run time").first();
    expect(await time.getAttribute("title")).toBe("21 Nov 2026, 12:00 UTC");

    const other = await tabs.show(withSite({ timezone: "Asia/Tokyo" }), "/", zone);
    const there = other.locator(".run time").first();
    expect(await there.getAttribute("title")).toBe("21 Nov 2026, 21:00 GMT+9");
    expect(await there.innerText()).toBe("5 minutes ago");
  });

  test("the logo, the links and the accent are the operator's", async () => {
    const names = ["One", "Two", "Three", "Four"];
    const links = names.map((name) => ({ name, url: `https://example.org/${name}` }));
    const path = "brand/logo.svg";
    const content = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"></svg>';
    const site = await servePages(withSite({ logo: path, links, accent: "#7a1fa2" }));
    writeFiles(site.folder, [{ path, content }]);
    const tab = await tabs.show(site, "/");
    const logo = tab.locator(".brand img");
    expect(await logo.boundingBox()).toMatchObject({ width: 140, height: 28 });
    expect(await logo.getAttribute("alt")).toBe("Logo");
    expect(await tab.locator("header").getByRole("link", { name: "Three" }).count()).toBe(1);
    const last = tab.locator("footer").getByRole("link", { name: "Four" });
    expect(await last.getAttribute("href")).toBe("https://example.org/Four");
    const accent = (): Promise<string> =>
      tab.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--accent"));
    expect(await accent()).toBe("oklch(from #7a1fa2 min(l,0.5) c h)");
    await tab.emulateMedia({ colorScheme: "dark" });
    expect(await accent()).toBe("oklch(from #7a1fa2 max(l,0.7) c h)");
  });
});
