import { expect, test } from "vitest";
import { targetsOf } from "../../../src/feed/feed.ts";
import { describeInBrowser, phone } from "./browser.ts";
import { manyMirrorsFeed, partialFeed, vantagesFeed } from "./feeds.ts";
import { servePages } from "../../support/pages-site.ts";

const path = "/status/community/jcb/super-powers/";
const toLastRun = "up to the last run";

describeInBrowser("the days of a mirror in a browser", (tabs) => {
  test("include today up to the last run, so that no mirror that is offline has 100 % for the last day", async () => {
    const site = await servePages(partialFeed());
    const still = await tabs.open({ javaScriptEnabled: false });
    await still.goto(site.url + path);
    const windows = (id: number, element: string): string => `#node-${id} ${element}.uptime`;
    expect(await still.locator(windows(2, "p")).innerText()).toBe("Uptime to midnight UTC");
    expect(await still.locator('[data-node="2"] .ratio').innerText()).toMatch(/^\d.*%\s+to midnight UTC$/);

    const tab = await tabs.show(site, path);
    await expect.poll(() => tab.locator(windows(2, "p")).innerText()).toBe(`Uptime ${toLastRun}`);
    expect(
      await tab
        .locator(`${windows(2, "dl")} dd`)
        .first()
        .innerText(),
    ).toBe("0 %");
    expect(await tab.locator(".mirrors caption").innerText()).toContain(toLastRun);
    expect(await tab.locator('tr[data-node="2"] .days .today').getAttribute("class")).toBe("today bad");
    expect(await tab.locator('tr[data-node="1"] .days .today').getAttribute("class")).toBe("today good");
  });

  test("can be read by hover and by arrow keys, which speak", async () => {
    const tab = await tabs.show(partialFeed(), path);
    await expect.poll(() => tab.locator(".mirrors caption").innerText()).toContain(toLastRun);
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
    await expect.poll(() => tab.locator(".mirrors caption").innerText()).toContain(toLastRun);
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
    expect(await rows.nth(0).innerText()).toMatch(/^2026-11-20\t1 of 4 failed\t100 %\t\d+\t\d+\t\d+$/);
    expect(await rows.nth(42).innerText()).toBe("2026-10-09\tNot observed\t0 %\t–\t–\t–");
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

  test("have the vote of each vantage in the last run if they disagree", async () => {
    const { feed } = vantagesFeed();
    const target = targetsOf(feed.systems).find(({ nodes }) => nodes.some(({ id }) => id === 5));
    const tab = await tabs.show({ feed }, `/status/${target?.place}/`);
    const vote = (vantage: string): Promise<string> =>
      tab.locator(`#node-5 [data-vantage="${vantage}"] th`).innerText();
    await expect.poll(() => vote("eu")).toBe("eu timeout in the last run");
    expect(await vote("usa")).toBe("usa ok in the last run");
    expect(await tab.locator("#node-6 [data-vantage] small").count()).toBe(0);
  });

  test("of a large target are on the page of each mirror", async () => {
    const played = manyMirrorsFeed(9, { downNow: 7 });
    const tab = await tabs.show(played, "/status/linux/archive/release-1/");
    await expect.poll(() => tab.locator("[data-as-of]").first().innerText()).toBe(toLastRun);
    expect(await tab.locator(".evidence").count()).toBe(0);
    const name = "mirror-7.example.org/linux/release-1";
    await tab.getByRole("link", { name, exact: true }).last().click();
    await tab.waitForURL("**/release-1/7/");
    expect(await tab.locator("h1").innerText()).toBe(`${name}: offline`);
    await expect.poll(() => tab.locator("p.uptime").innerText()).toBe(`Uptime ${toLastRun}`);
    expect(await tab.locator(".best code").innerText()).toBe(`https://${name}`);
    expect(await tab.locator(".chart").isVisible()).toBe(true);
  });
});
