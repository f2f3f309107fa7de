import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser, focused } from "./browser.ts";
import { partialFeed } from "./feeds.ts";

describeInBrowser("with the keyboard alone", (tabs) => {
  test("one finds a mirror, copies its URL, reads its days and opens its incident", async () => {
    const site = await servePages(partialFeed());
    const tab = await tabs.show(site, "/", 5, { permissions: ["clipboard-read", "clipboard-write"] });
    await tab.getByRole("searchbox").waitFor();
    await tab.keyboard.press("/");
    await tab.keyboard.type("super");
    await expect.poll(() => tab.locator("[data-item]:visible").count()).toBeLessThan(3);
    await tabTo(tab, "super-powers");
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/status/community/jcb/super-powers/");

    await tabTo(tab, "Copy");
    await tab.keyboard.press("Enter");
    await expect
      .poll(() => tab.evaluate(() => navigator.clipboard.readText()))
      .toBe("https://git.vdm.dev/joomla/super-powers");

    await tabTo(tab, /, 90 days: .* uptime/);
    await tab.keyboard.press("ArrowLeft");
    const day = tab.locator(".tip");
    await expect.poll(() => day.innerText()).toMatch(/^21 Nov 2026/);
    await tab.keyboard.press("ArrowLeft");
    await expect.poll(() => day.innerText()).toMatch(/^20 Nov 2026/);
    await tab.keyboard.press("Escape");
    expect(await day.isVisible()).toBe(false);

    await tabTo(tab, /^It did not answer in time, for/);
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/incidents/*/");
    expect(await tab.locator("h1").innerText()).toContain("is offline");
  });
});

/** Presses Tab until what has the focus has this name. */
async function tabTo(tab: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  const isThere = (label: string): boolean => (typeof name === "string" ? label === name : name.test(label));
  while (passed.length < 100) {
    await tab.keyboard.press("Tab");
    const label = await focused(tab);
    if (isThere(label)) return;
    passed.push(label);
  }
  expect(passed, `Tab passes ${String(name)}`).toEqual([]);
}
