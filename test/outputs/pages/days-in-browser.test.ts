import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, phone } from "./browser.ts";
import { manyMirrorsFeed, partialFeed } from "./feeds.ts";
import { servePages } from "../../support/pages-site.ts";

const path = "/status/community/jcb/super-powers/";

const todays = (tab: Page): Promise<number> => tab.locator(".days .today").count();

describeInBrowser("the days of a mirror in a browser", (tabs) => {
  test("are drawn up to the last run, and the uptime is the one of the feed", async () => {
    const played = partialFeed();
    const site = await servePages(played);
    const still = await tabs.open({ javaScriptEnabled: false });
    await still.goto(site.url + path);
    const uptimes = (tab: Page): Promise<string[]> => tab.locator(".ratio, dl.uptime dd").allInnerTexts();
    const before = await uptimes(still);
    expect(before).toContain("0 %");

    const tab = await tabs.show(site, path);
    await expect.poll(() => todays(tab)).toBe(2);
    expect(await uptimes(tab)).toEqual(before);
    expect(await tab.locator('tr[data-node="2"] .days .today').getAttribute("class")).toBe("today bad");
    expect(await tab.locator('tr[data-node="1"] .days .today').getAttribute("class")).toBe("today good");
  });

  test("can be read by hover and by arrow keys, which speak", async () => {
    const tab = await tabs.show(partialFeed(), path);
    await expect.poll(() => todays(tab)).toBe(2);
    const bars = tab.locator('tr[data-node="2"] a.days');
    const tip = tab.locator(".tip");
    const { x, y, width, height } = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await tab.mouse.move(x + width - 1, y + height / 2);
    await expect.poll(() => tip.innerText()).toBe("21 Nov 2026\n3 of 3 failed");
    await tab.mouse.move(0, 0);
    expect(await tip.isVisible()).toBe(false);

    await bars.focus();
    await tab.keyboard.press("ArrowLeft");
    await tab.keyboard.press("ArrowLeft");
    await expect
      .poll(() => tip.innerText())
      .toMatch(/^20 Nov 2026\n1 of 4 failed\nLatency [^]*\n18:00 UTC offline: It did not answer in time\.$/);
    await expect
      .poll(() => tab.getByRole("status").first().innerText())
      .toMatch(/^20 Nov 2026\. 1 of 4 failed/);
    await tab.keyboard.press("Escape");
    expect(await tip.isVisible()).toBe(false);
  });

  test("can be read by a tap, while the name leads to the mirror", async () => {
    const options = { viewport: phone, hasTouch: true };
    const tab = await tabs.show(partialFeed(), path, options);
    await expect.poll(() => todays(tab)).toBe(2);
    await tab.locator('tr[data-node="1"] a.days').tap();
    await expect.poll(() => tab.locator(".tip").innerText()).toMatch(/^\d+ \w+ 2026\n/);
    expect(new URL(tab.url()).hash).toBe("");
    await tab.locator('tr[data-node="1"] th a').first().tap();
    await expect.poll(() => new URL(tab.url()).hash).toBe("#node-1");
  });

  test("are a table if one opens it, newest first", async () => {
    const tab = await tabs.show(partialFeed(), path);
    await tab.locator("#history-2 summary").click();
    const rows = tab.locator("#days-2 tbody tr");
    await expect.poll(() => rows.count()).toBe(90);
    expect(await rows.nth(0).innerText()).toMatch(/^20 Nov 2026\t1 of 4 failed\t100 %\t\d+\t\d+\t\d+$/);
    expect(await rows.nth(42).innerText()).toBe("9 Oct 2026\tNot observed\t0 %\t–\t–\t–");
  });

  test("have a chart of 7, 30 or 90 days with the latencies of a day", async () => {
    const tab = await tabs.show(partialFeed(), path);
    const chart = tab.locator("#node-1 .chart");
    expect(await chart.locator("svg").getAttribute("viewBox")).toBe("0 0 29 100");
    await chart.getByRole("button", { name: "7 days" }).click();
    await expect.poll(() => chart.locator("svg").getAttribute("viewBox")).toBe("0 0 6 100");
    expect(await chart.locator(".dates").innerText()).toMatch(/14 Nov 2026\s+20 Nov 2026/);
    await tab.getByRole("img", { name: "Mean latency by day: git.vdm.dev/joomla/super-powers" }).focus();
    await tab.keyboard.press("ArrowLeft");
    await expect
      .poll(() => tab.locator(".tip").innerText())
      .toMatch(/^20 Nov 2026\nNo failure\nLatency \d+ ms \(\d+ to \d+\)$/);
  });

  test("of a large target are on the page of each mirror", async () => {
    const played = manyMirrorsFeed(9, { downNow: 7 });
    const tab = await tabs.show(played, "/status/linux/archive/release-1/");
    await expect.poll(() => todays(tab)).toBe(9);
    expect(await tab.locator(".evidence").count()).toBe(0);
    const name = "mirror-7.example.org/linux/release-1";
    await tab.getByRole("link", { name, exact: true }).last().click();
    await tab.waitForURL("**/release-1/7/");
    expect(await tab.locator("h1").innerText()).toBe(`${name}: Offline`);
    await expect.poll(() => todays(tab)).toBe(1);
    expect(await tab.locator(".best code").innerText()).toBe(`https://${name}`);
    expect(await tab.locator(".chart").isVisible()).toBe(true);
  });
});
