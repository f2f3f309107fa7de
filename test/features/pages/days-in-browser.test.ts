import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { todayPath } from "../../../src/features/pages/charts.ts";
import { describeInBrowser, desktop, phone } from "./browser.ts";
import { manyMirrorsFeed, partialFeed } from "./feeds.ts";
import { servePages } from "../../support/pages-site.ts";

const path = "/status/community/jcb/super-powers/";

async function boxOf(tab: Page, selector: string) {
  const box = await tab.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown.`);
  return box;
}

const tipOf = (tab: Page): Promise<string> => tab.locator(".tip").innerText();
const hasTip = (tab: Page): Promise<boolean> => tab.locator(".tip").isVisible();
const pressed = (tab: Page): Promise<string[]> => tab.locator(".ranges [aria-pressed=true]").allInnerTexts();
const todays = (tab: Page): Promise<number> => tab.locator(`.days path[d$="${todayPath}"]`).count();

describeInBrowser("the days of the overview in a browser", (tabs) => {
  const row = '#mirrors [data-node="2"] a.days';

  test("say each day on hover, also in a row that was moved, and load nothing before", async () => {
    const tab = await tabs.open();
    const scripts: string[] = [];
    tab.on("request", (request) => scripts.push(new URL(request.url()).pathname));
    await tab.goto(`${(await servePages(partialFeed())).url}/`, { waitUntil: "networkidle" });
    expect(scripts).toContain("/assets/status.js");
    expect(scripts).not.toContain("/assets/days.js");
    const hover = async (selector: string, fromRight: number): Promise<void> => {
      await tab.locator(selector).scrollIntoViewIfNeeded();
      const { x, y, width, height } = await boxOf(tab, `${selector} svg`);
      await tab.mouse.move(x + width / 2, y + height / 2);
      await tab.mouse.move(x + width - fromRight, y + height / 2);
    };
    await hover(row, 1);
    // The first move loads the script for days, and the next one shows a day.
    await expect.poll(() => scripts).toContain("/assets/days.js");
    await expect
      .poll(async () => {
        await hover(row, 2);
        return hasTip(tab);
      })
      .toBe(true);
    expect(await tipOf(tab)).toBe("21 Nov 2026\n3 of 3 failed");
    await tab.keyboard.press("Escape");
    expect(await hasTip(tab)).toBe(false);

    await tab.getByRole("combobox").selectOption("name");
    await hover('.results [data-node="2"] a.days', 1);
    await expect.poll(() => tipOf(tab)).toBe("21 Nov 2026\n3 of 3 failed");
  });

  test("say each day by arrow keys within one tab stop, and leave those of the browser alone", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await tab.locator('#mirrors [data-node="1"] a.days').focus();
    const live = tab.locator(".live");
    const after = async (key: string): Promise<string> => {
      await tab.keyboard.press(key);
      return live.innerText();
    };
    await expect.poll(() => after("End")).toBe("21 Nov 2026. No failure");
    expect(await after("ArrowLeft")).toMatch(/^20 Nov 2026\. /);
    await expect.poll(() => after("Home")).toMatch(/^23 Aug 2026\. /);
    await tab.keyboard.press("Alt+ArrowRight");
    await tab.keyboard.press("Tab");
    expect(await hasTip(tab)).toBe(false);
    expect(await tab.evaluate("document.activeElement.closest('[data-node]')?.dataset.node")).not.toBe("1");
    expect(await live.innerText()).toMatch(/^23 Aug 2026\. /);
  });

  test("are shown within the window, also of a bar at its top", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    const last = tab.locator("#mirrors a.days").last();
    await last.focus();
    await tab.emulateMedia({ reducedMotion: "reduce" });
    for (const block of ["start", "end"] as const) {
      await last.evaluate((one, side) => {
        one.scrollIntoView({ block: side });
      }, block);
      await expect
        .poll(async () => {
          await tab.keyboard.press(block === "start" ? "End" : "Home");
          return hasTip(tab);
        })
        .toBe(true);
      const { y, height } = await boxOf(tab, ".tip");
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(desktop.height);
      await tab.keyboard.press("Escape");
    }
  });

  test("say a day at the first tap, which follows no link", async () => {
    const tab = await tabs.show(partialFeed(), "/", { viewport: phone, hasTouch: true });
    await tab.getByRole("searchbox").waitFor();
    await tab.locator(row).tap();
    await expect.poll(() => tipOf(tab)).toMatch(/^\d+ \w+ 2026\n/);
    expect(new URL(tab.url()).pathname).toBe("/");
    await tab.locator("h1").tap();
    expect(await hasTip(tab)).toBe(false);
    await tab.locator('#mirrors [data-node="2"] .name a').first().tap();
    await expect.poll(() => new URL(tab.url()).pathname).toBe(path);
  });

  test("are said in words without the script", async () => {
    const tab = await tabs.open({ javaScriptEnabled: false });
    await tab.goto(`${(await servePages(partialFeed())).url}/`);
    await tab.locator(row).hover();
    // The stylesheet shows the summary in place of the tip.
    const content = tab.locator(row).evaluate((one) => getComputedStyle(one, "::after").content);
    expect(await content).toMatch(/uptime; .* with failures, last on 20 Nov 2026.*; 3 of 3 failed today/);
  });
});

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
    const kindOf = (id: number): Promise<string | null> =>
      tab.locator(`tr[data-node="${id}"] .days path[d$="${todayPath}"]`).getAttribute("class");
    expect([await kindOf(2), await kindOf(1)]).toEqual(["bad", "good"]);
  });

  test("are a table if one opens it, newest first", async () => {
    const tab = await tabs.show(partialFeed(), path);
    await tab.locator("#history-2 summary").click();
    const rows = tab.locator("#days-2 tbody tr");
    await expect.poll(() => rows.count()).toBe(90);
    expect(await rows.nth(0).innerText()).toMatch(/^20 Nov 2026\t1 of 4 failed\t100 %\t\d+\t\d+\t\d+$/);
    expect(await rows.nth(42).innerText()).toBe("9 Oct 2026\tNot observed\t0 %\t–\t–\t–");
  });

  test("are drawn by every chart at one choice of the range, which a chart that cannot be loaded keeps", async () => {
    const tab = await tabs.show(partialFeed(), path);
    const views = (): Promise<(string | null)[]> =>
      tab.locator(".chart > svg").evaluateAll((all) => all.map((one) => one.getAttribute("viewBox")));
    const count = await tab.locator(".chart").count();
    expect(count).toBeGreaterThan(1);
    await tab.locator("#mirror-1 > summary").click();
    await tab.getByRole("button", { name: "90 days" }).first().click();
    await expect.poll(views).toEqual(Array(count).fill("0 0 89 100"));
    expect(await pressed(tab)).toEqual(Array(count).fill("90 days"));

    const later = await tabs.open();
    await later.route("**/v1/report/community/**", (route) => route.abort());
    await later.goto(`${(await servePages(partialFeed())).url}${path}`);
    await later.locator("#mirror-1 > summary").click();
    await later.getByRole("button", { name: "7 days" }).first().click();
    await later.locator(".tip").waitFor({ state: "detached" });
    expect(await pressed(later)).toEqual(Array(count).fill("30 days"));
  });

  test("have a chart of 7, 30 or 90 days with the latencies of a day", async () => {
    const tab = await tabs.show(partialFeed(), path);
    const chart = tab.locator("#node-1 .chart");
    expect(await chart.isVisible()).toBe(false);
    await tab.getByRole("link", { name: "git.vdm.dev/joomla/super-powers", exact: true }).first().click();
    expect(await chart.locator("svg").getAttribute("viewBox")).toBe("0 0 29 100");
    await chart.getByRole("button", { name: "7 days" }).click();
    await expect.poll(() => chart.locator("svg").getAttribute("viewBox")).toBe("0 0 6 100");
    expect(await chart.locator(".dates").innerText()).toMatch(/14 Nov 2026\s+20 Nov 2026/);
    await tab.getByRole("img", { name: "Mean latency by day: git.vdm.dev/joomla/super-powers" }).focus();
    await tab.keyboard.press("ArrowLeft");
    await expect.poll(() => tipOf(tab)).toMatch(/^20 Nov 2026\nNo failure\nLatency \d+ ms \(\d+ to \d+\)$/);
  });

  test("of a large target are on the page of each mirror", async () => {
    const played = manyMirrorsFeed(9, { downNow: 7 });
    const tab = await tabs.show(played, "/status/linux/archive/release-1/");
    await expect.poll(() => todays(tab)).toBe(9);
    expect(await tab.locator(".evidence").count()).toBe(0);
    const name = "mirror-7.example.org/linux/release-1";
    await tab.getByRole("link", { name, exact: true }).last().click();
    await tab.waitForURL("**/release-1/7/");
    expect(await tab.locator("h1").innerText()).toBe(`${name}: offline`);
    await expect.poll(() => todays(tab)).toBe(1);
    expect(await tab.locator(".best code").innerText()).toBe(`https://${name}`);
    expect(await tab.locator(".chart").isVisible()).toBe(true);
  });
});
