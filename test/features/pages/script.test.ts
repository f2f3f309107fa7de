import type { Locator, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { describeInBrowser, desktop, focused, minute, phone } from "./browser.ts";
import { healthyFeed, largeFeed, lastRun, manyMirrorsFeed, noticedFeed, partialFeed } from "./feeds.ts";
import { hostClock, servePages } from "../../support/pages-site.ts";

const targetPath = "/status/community/jcb/joomla-powers/";

const headline = (tab: Page): Promise<string> => tab.locator("h1").innerText();
const lastRunText = (tab: Page): Promise<string> => tab.locator(".run").innerText();
const alerts = (tab: Page): Promise<number> => tab.getByRole("alert").count();
const top = async (place: Locator): Promise<number> => (await place.boundingBox())?.y ?? NaN;

describeInBrowser("the status page in a browser", (tabs) => {
  test("timestamps are relative to now, and their titles are absolute", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    expect(await lastRunText(tab)).toBe("Last run 5 minutes ago.");
    expect(await tab.locator(".run time").first().getAttribute("title")).toBe("21 Nov 2026, 12:00 UTC");
    await tab.clock.runFor(61_000);
    expect(await lastRunText(tab)).toContain("6 minutes ago");
  });

  test.each([
    [-180, "/"],
    [-180, targetPath],
    [20 * 60, "/"],
    [20 * 60, targetPath],
  ])("a reader's clock that is wrong by %i minutes is replaced by the host's: %s", async (after, path) => {
    setHostClock(5);
    const tab = await tabs.show(partialFeed(), path, { after });
    await expect.poll(() => lastRunText(tab)).toBe("Last run 5 minutes ago.");
    expect(await alerts(tab)).toBe(0);
  });

  test("a reader's clock that is before the last run counts as the time of that run", async () => {
    const tab = await tabs.show(partialFeed(), "/", { after: -600 });
    expect(await lastRunText(tab)).toBe("Last run less than a minute ago.");
    expect(await tab.locator(".problems time").first().innerText()).toBe("for 6 hours");
  });

  test("a host that is as late as the caches before it does not make an expired feed valid", async () => {
    setHostClock(18 * 60 - 10);
    const tab = await tabs.show(partialFeed(), "/", { after: 18 * 60 });
    await tab.clock.runFor(3 * minute);
    expect(await tab.getByRole("alert").innerText()).toContain("This feed is out of date.");
  });

  test.each([
    ["with notices, on a phone", noticedFeed, "/", phone, 5],
    ["with problems, in a wide window", partialFeed, "/", desktop, 5],
    ["of an expired feed, on a phone", partialFeed, "/", phone, 3 * 1440],
    ["with an expired feed on the page of a target, on a phone", partialFeed, targetPath, phone, 3 * 1440],
    ["with an expired feed on the page of a target", partialFeed, targetPath, desktop, 3 * 1440],
    ["with an answer, on a phone", noticedFeed, "/?q=git@github.com:joomengine/gitea.git", phone, 5],
    ["with a filter, in a wide window", partialFeed, "/?state=offline", desktop, 5],
    ["with rows of an index, in a wide window", () => largeFeed(30), "/?q=target-1", desktop, 5],
  ])("nothing moves as a page opens: %s", async (_, play, path, viewport, minutes) => {
    const site = await servePages(play());
    const tab = await tabs.open({ viewport });
    await tab.clock.install({ time: lastRun + minutes * minute });
    await tab.addInitScript(recordShifts);
    await tab.goto(site.url + path, { waitUntil: "networkidle" });
    await tab.getByRole(path === targetPath ? "alert" : "searchbox").waitFor();
    if (path.includes("@")) await tab.locator(".answer b").waitFor();
    await expect.poll(() => tab.locator("footer").isVisible()).toBe(true);
    expect(await tab.evaluate<number>("shifts.reduce((sum, shift) => sum + shift, 0)")).toBeLessThan(0.02);
  });

  test("a refresh in several steps shows no time as the host writes it, which would move what is below", async () => {
    const site = await servePages(manyMirrorsFeed(400, { days: 1 }));
    const tab = await tabs.show(site, "/status/linux/archive/release-1/");
    await expect.poll(() => lastRunText(tab)).toBe("Last run 5 minutes ago.");
    await tab.evaluate(() => {
      const steps: number[] = [];
      new MutationObserver(() =>
        steps.push(document.querySelectorAll("main time:not([title])").length),
      ).observe(document.querySelector("#mirrors") ?? document, { subtree: true, childList: true });
      Object.assign(window, { steps });
    });
    site.show(manyMirrorsFeed(400, { days: 1, halfDown: true }).feed);
    const row = tab.locator('tr[data-node="400"] .ratio');
    const before = await row.textContent();
    await after(tab, async () => (await row.textContent()) === before, false);
    const steps: number[] = await tab.evaluate("steps");
    expect(steps.length).toBeGreaterThan(3);
    expect(new Set(steps)).toEqual(new Set([0]));
  });

  test("a banner appears when the feed expires, also on a page without the time of the run, and disappears with a new run", async () => {
    const feed = partialFeed();
    const site = await servePages(feed);
    const overview = await tabs.show(site, "/", { after: 17 * 60 + 59 });
    const target = await tabs.show(site, targetPath, { after: 17 * 60 + 59 });
    const headlines = [
      [overview, "No mirror of gitea is reachable."],
      [target, "joomla-powers: 1 of 2 mirrors is behind."],
    ] as const;
    await expect.poll(() => lastRunText(target)).toBe("Last run 17 hours ago.");
    for (const [tab, said] of headlines) {
      expect(await alerts(tab)).toBe(0);
      await tab.clock.runFor(2 * minute);
      const alert = await tab.getByRole("alert").innerText();
      expect(alert).toMatch(/^This feed is out of date\. Its last run was 18 hours ago, and it expired ./);
      expect(alert.endsWith(`. At the last run: “${said}”`)).toBe(true);
      expect(await headline(tab)).toBe("Status unknown since 22\u00a0Nov\u00a02026.");
    }
    const problems = overview.locator(".problems");
    const best = target.locator(".best dt").first();
    expect(await problems.locator("h2").innerText()).toBe("At the last run");
    expect(await best.innerText()).toBe("Best mirror at the last run");
    const first = problems.locator("li").first();
    expect(await first.innerText()).toContain("Offline · for 6 hours at the last run");
    const color = (of: Locator): Promise<string> => of.first().evaluate((one) => getComputedStyle(one).color);
    const quiet = await color(overview.locator(".quiet"));
    expect(await color(overview.locator(".node .notes b.offline"))).toBe(quiet);
    site.show(feed.later());
    for (const [tab, said] of headlines) {
      await after(tab, () => alerts(tab), 0);
      expect(await headline(tab)).toBe(said);
    }
    expect(await problems.locator("h2").innerText()).toBe("Now");
    expect(await best.innerText()).toBe("Use this one");
    expect(await first.innerText()).toContain("Offline · for 24 hours ·");
  });

  test("a refresh changes only the rows that differ, and an unchanged page not at all", async () => {
    const site = await servePages(manyMirrorsFeed(12, { failed: 0 }));
    const tab = await tabs.show(site, "/status/linux/archive/release-1/");
    await expect.poll(() => lastRunText(tab)).toContain("Last run");
    await tab.evaluate(() => {
      const changes: string[] = [];
      const note = (one: Node): void => {
        if (one instanceof HTMLElement && one.localName !== "time")
          changes.push(one.dataset["node"] ?? one.localName);
      };
      new MutationObserver((records) => {
        for (const { addedNodes } of records) addedNodes.forEach(note);
      }).observe(document.querySelector("main") ?? document, { subtree: true, childList: true });
      Object.assign(window, { changes });
    });
    const changes = (): Promise<unknown> => tab.evaluate("[...new Set(changes)].sort()");
    const pages = new Set<string>();
    tab.on("request", (request) => pages.add(new URL(request.url()).pathname));
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await tab.clock.runFor(minute);
      await tab.evaluate(() => fetch("/search.json").then(() => undefined));
    }
    expect(await changes()).toEqual([]);
    // Without a new run, only the heartbeat is requested.
    expect([...pages].filter((path) => path !== "/search.json")).toEqual(["/v1/report/index.json"]);

    site.show(manyMirrorsFeed(12, { failed: 0, downNow: 3 }).feed);
    await after(tab, () => tab.locator('[data-node="3"] td').first().innerText(), "Offline");
    expect(await changes()).toEqual(["3", "button", "h1", "section"]);
    expect(await tab.locator("[data-node]").count()).toBe(12);
  });

  test("it refreshes in place, and keeps focus, scroll position, open details and the search", async () => {
    const { feed } = partialFeed();
    const site = await servePages({ feed });
    const tab = await tabs.show(site, "/");
    // Typing scrolls to the search box. Smooth scrolling would go on while the test scrolls elsewhere.
    await tab.emulateMedia({ reducedMotion: "reduce" });
    await tab.getByRole("searchbox").pressSequentially("git");
    const row = tab.locator("#mirrors .node").nth(4);
    await row.evaluate((one) => {
      one.scrollIntoView({ block: "center" });
    });
    const before = await top(row);
    site.show(healthyFeed({ downNow: 3 }).feed);
    await after(tab, () => headline(tab), "1 of 22 mirrors is offline.");
    expect(await tab.getByRole("status").allInnerTexts()).toContain("1 of 22 mirrors is offline.");
    // Most problems above the row are gone, but it's still about where it was.
    expect(Math.abs((await top(row)) - before)).toBeLessThan(60);
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
    await tab.keyboard.type("ea");
    expect(await tab.getByRole("searchbox").inputValue()).toBe("gitea");
    expect(await tab.locator("[data-item]:visible").count()).toBe(2);

    const target = await tabs.show(site, targetPath);
    const summary = target.locator("#changes-3 summary");
    await summary.focus();
    await target.keyboard.press("Enter");
    site.show(feed);
    await after(target, () => headline(target), "joomla-powers: 1 of 2 mirrors is behind.");
    expect(await target.locator("#changes-3 table").isVisible()).toBe(true);
    expect(await focused(target)).toBe("Changes");
  });

  test("nothing moves under a reader who reads a day when two mirrors swap", async () => {
    const site = await servePages(healthyFeed());
    const tab = await tabs.show(site, targetPath);
    await tab.locator("#mirror-4 > summary").click();
    await tab.locator("#history-4 summary").click();
    const row = tab.locator("#days-4 tbody tr").nth(3);
    await row.waitFor();
    await row.scrollIntoViewIfNeeded();
    const before = await top(row);
    await tab.evaluate(recordShifts);
    site.show(healthyFeed({ downNow: 4 }).feed);
    await after(tab, () => headline(tab), "joomla-powers: 1 of 2 mirrors is offline.");
    await row.waitFor();
    expect(Math.abs((await top(row)) - before)).toBeLessThan(2);
    expect(await tab.evaluate<number>("shifts.reduce((sum, shift) => sum + shift, 0)")).toBeLessThan(0.05);
  });

  test("what is known about a mirror that went offline opens if it is below the view, and stays closed otherwise", async () => {
    const site = await servePages(healthyFeed());
    const below = await tabs.show(site, targetPath, { viewport: phone });
    const inView = await tabs.show(site, targetPath, { viewport: phone });
    await below.locator("#mirror-3 > summary").click();
    await inView.locator("#mirror-4").scrollIntoViewIfNeeded();
    await below.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
    site.show(healthyFeed({ downNow: 4 }).feed);
    for (const tab of [below, inView])
      await after(tab, () => headline(tab), "joomla-powers: 1 of 2 mirrors is offline.");
    const open = (tab: Page): Promise<(string | null)[]> =>
      tab.locator("details[id^=mirror-][open]").evaluateAll((all) => all.map(({ id }) => id));
    // The reader has opened the other one.
    expect((await open(below)).sort()).toEqual(["mirror-3", "mirror-4"]);
    expect(await open(inView)).toEqual([]);
  });

  test("an unreachable host leaves the page unchanged, and is asked less and less often", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    let requests = 0;
    await tab.route("**/*", (route) => {
      if (new URL(route.request().url()).pathname === "/") requests += 1;
      // Alternates between an unreachable host and a login page.
      return requests % 2 === 0
        ? route.abort()
        : route.fulfill({ contentType: "text/html", body: "<p>Log in" });
    });
    const requestsIn = async (minutes: number): Promise<number> => {
      const before = requests;
      for (let passed = 0; passed < minutes; passed += 1) {
        await tab.clock.runFor(minute);
        // Requests fail in real time, not by the page's clock.
        await tab.evaluate(() => fetch("/nothing").catch(() => undefined));
      }
      return requests - before;
    };
    expect(await requestsIn(16)).toBe(3);
    expect(await requestsIn(16)).toBe(1);
    expect(await headline(tab)).toBe("No mirror of gitea is reachable.");
  });

  test("commands to copy have the URL of the site, and are copied", async () => {
    const site = await servePages(healthyFeed());
    const tab = await tabs.show(site, targetPath, { permissions: ["clipboard-read", "clipboard-write"] });
    const button = tab.getByRole("button", { name: "Copy" }).first();
    await button.click();
    await expect.poll(() => tab.getByRole("button", { name: "Copied" }).count()).toBe(1);
    expect(await tab.getByRole("status").filter({ hasText: "Copied" }).count()).toBe(1);
    const copied = (): Promise<string> => tab.evaluate(() => navigator.clipboard.readText());
    expect(await copied()).toBe("https://github.com/joomengine/joomla-powers");
    await tab.getByText("Commands and files").click();
    await tab.locator("#commands dd", { hasText: "mirrorfeed pick" }).getByRole("button").click();
    const command = `mirrorfeed pick ${site.url} community/jcb/joomla-powers --fallback`;
    await expect.poll(copied).toBe(`${command} https://github.com/joomengine/joomla-powers`);
  });
});

/** In a page, lists how far each change of its layout moves what is shown, as `shifts`. */
function recordShifts(): void {
  const shifts: number[] = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if ("value" in entry) shifts.push(Number(entry.value));
  }).observe({ type: "layout-shift" });
  Object.assign(window, { shifts });
}

/** Sets the clock of the host to a time after the last run, until the test ends. */
function setHostClock(minutes: number): void {
  hostClock.now = lastRun + minutes * minute;
  onTestFinished(() => {
    hostClock.now = undefined;
  });
}

/** Advances the page's clock minute by minute until a value is as expected. Requests still take real time. */
async function after<Value>(tab: Page, look: () => Promise<Value>, expected: Value): Promise<void> {
  await expect
    .poll(async () => {
      await tab.clock.runFor(minute);
      return look();
    })
    .toEqual(expected);
}
