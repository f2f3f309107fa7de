import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser } from "./browser.ts";
import { pageOf } from "./rendered.ts";
import { countriesFeed, fourHundredMirrorsFeed, largeFeed, manyMirrorsFeed, partialFeed } from "./feeds.ts";

describeInBrowser("the pages at first sight", (tabs) => {
  test.each([
    ["two for each of eleven targets", partialFeed],
    ["twenty-two of one target", () => manyMirrorsFeed(22)],
    ["one for each of twenty-two targets", () => manyMirrorsFeed(1, { targets: 22 })],
  ])("22 mirrors, %s, take two and a half screens, and each row no more than a finger", async (_, play) => {
    const tab = await tabs.show(play(), "/");
    await tab.getByRole("searchbox").waitFor();
    expect(await tab.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(2400);
    const items = tab.locator("[data-item]");
    const rows = await items.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(rows).toHaveLength(22);
    expect(Math.max(...rows)).toBeLessThanOrEqual(44);
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
    const top = () => tab.evaluate("document.querySelector('#search').getBoundingClientRect().top");
    await expect.poll(top).toBeLessThan(600);
    expect(await top()).toBeGreaterThanOrEqual(0);
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

  test.each([
    ["Europe/Berlin", "mirror-1", /^In your browser’s region \(Germany\) · In sync/],
    ["Asia/Tokyo", "mirror-3", /^In your browser’s region \(Japan\) · In sync/],
    ["UTC", "mirror-2", /^In sync/],
    ["Europe/Vienna", "mirror-2", /^In sync/],
  ])("in the time zone %s, %s is recommended", async (timezoneId, mirror, reason) => {
    const tab = await tabs.show(countriesFeed(), "/status/linux/archive/debian/", { timezoneId });
    const best = tab.locator(".best");
    await expect.poll(() => best.locator("button").count()).toBeGreaterThan(0);
    expect(await best.locator("dd code").first().innerText()).toBe(`https://${mirror}.example.org/debian`);
    expect(await best.locator(".reasons:visible").first().innerText()).toMatch(reason);
    const others = best.locator(".others span:visible");
    const names = ["mirror-2", "mirror-4", "mirror-1", "mirror-3"].filter((one) => one !== mirror);
    const links = names.map((name) => `${name}.example.org/debian`);
    expect(await others.locator("a").allInnerTexts()).toEqual(links);
    const commas = others.evaluateAll((all) => all.map((one) => getComputedStyle(one, "::before").content));
    expect(await commas).toEqual(["none", '", "', '", "']);
    await best.locator("summary").click();
    const command = `git clone "https://${mirror}.example.org/debian"`;
    expect(await best.locator("code").nth(1).innerText()).toBe(command);
  });

  test("below a path, a page that would repeat the overview leads to it, and a target's reads the heartbeat", async () => {
    const site = await servePages(partialFeed("/below"), "/below");
    const tab = await tabs.show(site, "/below/status/community/jcb/");
    await tab.waitForURL(`${site.url}/below/`);
    const heartbeat = tab.waitForResponse(`${site.url}/below/v1/report/index.json`);
    await tab.goto(`${site.url}/below/status/community/jcb/gitea/`);
    expect((await heartbeat).status()).toBe(200);
  });

  test("the page of a target of 400 mirrors has fewer than 15,000 nodes, those of text too", async () => {
    const tab = await tabs.open();
    await tab.goto(`${(await servePages(fourHundredMirrorsFeed())).url}/status/linux/archive/release-1/`);
    await expect.poll(() => tab.locator('.days path[d$="M363 12h3"]').count()).toBe(400);
    const nodes = "document.evaluate('count(//node())', document, null, XPathResult.NUMBER_TYPE).numberValue";
    expect(await tab.evaluate(nodes)).toBeLessThan(15_000);
  });
});

test("the page of a target of 1,000 mirrors has at most 12,000 elements", () => {
  const html = pageOf(manyMirrorsFeed(1000, { days: 10, hours: 24 }), "index.html");
  expect(html.match(/<[a-z]/g)?.length).toBeLessThanOrEqual(12_000);
  expect(html.match(/<tr data-item/g)).toHaveLength(1000);
});

describe("the page of a target of 400 mirrors", () => {
  const path = "status/linux/archive/release-1/";
  const html = pageOf(fourHundredMirrorsFeed(), `${path}index.html`);

  test("is below 80 kilobytes, and what to use precedes the rows", () => {
    expect(gzipSync(html).length).toBeLessThan(80_000);
    expect(html.indexOf("Use this one")).toBeLessThan(html.indexOf("<table"));
  });

  test("has every URL and status, and a page for each mirror", () => {
    for (let id = 1; id <= 400; id += 1) {
      expect(html).toContain(`>mirror-${id}.example.org/linux/release-1</a>`);
      expect(html).toContain(`//mirror-${id}.example.org/linux/release-1`);
      expect(html).toContain(`${path}${id}/`);
    }
    const states = html.match(/<td class="?(?:online|offline)"?><svg class="shape (?:online|offline)"/g);
    expect(states).toHaveLength(400);
  });
});
