import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, focused, phone } from "./browser.ts";
import { countriesFeed, largeFeed, manyMirrorsFeed, noticedFeed, partialFeed } from "./feeds.ts";

const box = (tab: Page): Locator => tab.getByRole("searchbox");
const visible = (tab: Page): Promise<number> => tab.locator(".node:visible").count();
const names = (tab: Page) => tab.locator(".node:visible .name a:first-child").allInnerTexts();
const count = (tab: Page): Promise<string> => tab.locator("output").innerText();
const button = (tab: Page, name: string): Locator => tab.getByRole("button", { name });
const link = (tab: Page, name: string): Locator => tab.getByRole("link", { name, exact: true }).last();
const order = (tab: Page): Locator => tab.getByRole("combobox", { name: "Sort by" });
const answer = (tab: Page): Promise<string> => tab.locator(".answer").innerText();
const query = (tab: Page): string => new URL(tab.url()).search;

describeInBrowser("the search", (tabs) => {
  test("filters the rows of a page by name and URL as one types, counts aloud, and is kept in the URL", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await expect.poll(() => box(tab).count()).toBe(1);
    await tab.keyboard.press("/");
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
    await tab.keyboard.type("Github.com POWERS");
    const found = ["super-powers", "joomla-powers"].map((target) => `github.com/joomengine/${target}`);
    expect(await names(tab)).toEqual(found);
    expect(await tab.getByRole("status").filter({ hasText: "2 of 22 mirrors" }).count()).toBe(1);
    expect(query(tab)).toBe("?q=Github.com%20POWERS");
    // Targets without a match are hidden too.
    expect(await tab.locator(".target:visible").count()).toBe(2);

    await link(tab, "github.com/joomengine/super-powers").click();
    await tab.waitForURL("**/super-powers/#node-2");
    await tab.goBack();
    await expect.poll(() => visible(tab)).toBe(2);
    expect(await box(tab).inputValue()).toBe("Github.com POWERS");
    await button(tab, "Clear").click();
    expect(await visible(tab)).toBe(22);
    expect(query(tab)).toBe("");
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
  });

  test("has chips for the states that occur, with their counts, which add up", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    const chips = ["Offline 4", "Differs 1", "Behind 1", "Certificate expires 1", "Maintenance 1"];
    await expect.poll(() => tab.locator(".chips button").allInnerTexts()).toEqual(chips);
    await button(tab, "offline").focus();
    await tab.keyboard.press("Space");
    expect(await visible(tab)).toBe(4);
    expect(await button(tab, "offline").getAttribute("aria-pressed")).toBe("true");
    await button(tab, "behind").click();
    expect(await count(tab)).toBe("5 of 22 mirrors");
    expect(query(tab)).toBe("?state=offline,behind");
    await button(tab, "offline").click();
    expect(await names(tab)).toEqual(["github.com/joomengine/joomla-powers"]);
  });

  test("sorts by state, uptime, latency and name, and back to the listed order", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await expect.poll(() => box(tab).count()).toBe(1);
    const before = await names(tab);
    const values = (name: string): Promise<number[]> =>
      tab
        .locator(".node:visible")
        .evaluateAll((rows, key) => rows.map((row) => Number((row as HTMLElement).dataset[key])), name);
    const words = () => tab.locator(".node:visible .notes > b:first-child").allInnerTexts();
    const four = Array.from({ length: 4 }, () => "Offline");
    await order(tab).selectOption("name");
    expect(await names(tab)).toEqual(before.toSorted((left, right) => left.localeCompare(right)));
    await box(tab).fill("github");
    await expect.poll(() => names(tab)).not.toContain(before.find((name) => !name.includes("github")));
    // The reader of a heartbeat looks for all mirrors in the document.
    expect(await tab.locator(".node").count()).toBe(before.length);
    await box(tab).fill("");
    for (const key of ["uptime", "latency"]) {
      await order(tab).selectOption(key);
      // Offline mirrors come last, whatever their uptime.
      const sorted = (await values(key)).slice(0, 18);
      expect(sorted).toEqual(sorted.toSorted((left, right) => left - right));
      expect(await words().then((all) => all.slice(18))).toEqual(four);
    }
    await order(tab).selectOption("state");
    expect(await words()).toEqual([
      ...[...four, "Differs", "Behind", "Online · in sync", "Maintenance"],
      ...Array.from({ length: 14 }, () => "Online · in sync"),
    ]);
    expect(query(tab)).toBe("?sort=state");
    await order(tab).selectOption("page");
    expect(await names(tab)).toEqual(before);
    expect(await tab.locator(".target:visible").count()).toBe(11);
  });

  test("sorts all rows of a table that is split into groups, and back", async () => {
    const tab = await tabs.show(manyMirrorsFeed(60, { days: 10 }), "/");
    const rows = tab.locator(".mirrors tbody tr");
    const ids = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-node")));
    await box(tab).waitFor();
    expect(await tab.locator(".mirrors tbody").count()).toBe(2);
    const before = await ids();
    await order(tab).selectOption("latency");
    const latencies = await rows.evaluateAll((all) =>
      all.map((row) => Number(row.getAttribute("data-latency") ?? Infinity)),
    );
    expect(latencies).toHaveLength(60);
    expect(latencies).toEqual(latencies.toSorted((left, right) => left - right));
    await order(tab).selectOption("page");
    expect(await ids()).toEqual(before);
    await box(tab).fill(`mirror-${before.at(-1)}.`);
    await expect.poll(() => tab.locator(".mirrors tbody tr:visible").count()).toBe(1);
    expect(await tab.locator(".mirrors tbody:visible").count()).toBe(1);
  });

  test("answers whether what failed is down, and leaves passwords out of the link", async () => {
    const tab = await tabs.show(noticedFeed(), "/", { viewport: phone });
    await box(tab).waitFor();
    await tab.evaluate(() => {
      const data = new DataTransfer();
      const fetched = "origin\thttps://me:secret@github.com/joomengine/gitea.git (fetch)";
      data.setData("text/plain", `${fetched}\norigin\tgit@github.com:joomengine/gitea.git (push)`);
      document.querySelector("input")?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
    });
    await expect
      .poll(() => answer(tab))
      .toMatch(
        /^Not you: github.com\/joomengine\/gitea is offline, for 6 hours\.\n+Checked \d+ minutes ago · It answered with an HTTP error \(HTTP 502\) · 17 of 20 others are reachable\n+The operator: gitea.example.org moves to new disks · next update in 1\d\d minutes$/,
      );
    expect(await names(tab)).toEqual(["github.com/joomengine/gitea"]);
    expect(query(tab)).not.toContain("secret");
  });

  test("answers a shared link in the first screen, even below the operator's notices", async () => {
    const path = `/?q=${encodeURIComponent("git@github.com:joomengine/snippets")}`;
    const tab = await tabs.show(noticedFeed(), path, { viewport: phone });
    await expect.poll(() => answer(tab)).toContain("github.com/joomengine/snippets answers us.");
    const bottomOf = async (): Promise<number> => {
      const { y = NaN, height = NaN } = (await tab.locator(".answer").boundingBox()) ?? {};
      return Math.floor(y + height);
    };
    await expect.poll(bottomOf).toBeLessThanOrEqual(phone.height);
    expect(await tab.locator(".answer code").innerText()).toBe("https://git.vdm.dev/joomla/snippets");
    await box(tab).fill("https://nowhere.example.org/a");
    await expect.poll(() => count(tab)).toBe("No mirror here is at nowhere.example.org.");
    expect(await answer(tab)).toBe("");
  });

  test("counts the mirrors of a host that failed", async () => {
    const tab = await tabs.show(noticedFeed(), "/?q=Could+not+resolve+host:+github.com");
    const counts = "11 mirrors: 3 offline, 1 different, 1 behind, 1 in maintenance, 5 online.";
    await expect.poll(() => answer(tab)).toBe(counts);
    expect(await visible(tab)).toBe(11);
  });

  test.each([
    ["france", 3],
    ["de", 3],
    ["deb", 4],
    ["offline", 1],
  ])("finds a country by its name and its code, and a state: %s", async (typed, found) => {
    const tab = await tabs.show(countriesFeed(), "/");
    await box(tab).fill(typed);
    await expect.poll(() => visible(tab)).toBe(found);
  });

  test("says that no mirror matches, and clears by keyboard", async () => {
    const tab = await tabs.show(partialFeed(), "/?q=nothing&state=offline", { viewport: phone });
    await expect.poll(() => count(tab)).toBe("No mirrors match.");
    expect(await visible(tab)).toBe(0);
    await button(tab, "Clear").focus();
    await tab.keyboard.press("Enter");
    expect(await visible(tab)).toBe(22);
    expect(await button(tab, "Clear").count()).toBe(0);
  });

  test.each([
    ["/", "1,200"],
    ["/status/large/", "1,200"],
    ["/status/large/project-3/", "120"],
  ])(
    "finds mirrors of folded targets by the index of the feed, and shows a limited number: %s",
    async (path, total) => {
      const tab = await tabs.show(largeFeed(300), path);
      const fetched: string[] = [];
      tab.on("request", (request) => fetched.push(new URL(request.url()).pathname));
      await expect.poll(() => box(tab).count()).toBe(1);
      expect(await visible(tab)).toBe(0);
      expect(fetched).not.toContain("/search.json");
      await box(tab).fill("project-3/target-17");
      await expect.poll(() => count(tab)).toBe(`4 of ${total} mirrors`);
      expect(await tab.locator(".project:visible").count()).toBe(0);
      await box(tab).fill("target");
      await expect.poll(() => count(tab)).toBe(`50 of ${total} shown`);
      expect(await visible(tab)).toBe(50);
      await button(tab, "offline").click();
      await tab.getByRole("combobox").selectOption("name");
      expect(await tab.locator(".node:visible .notes").first().innerText()).toBe("Offline");
      const [first = ""] = await names(tab);
      await link(tab, first).click();
      await tab.waitForURL(/\/status\/large\/project-\d\/target-\d+\/#node-\d+$/);
      const shown = new URL(tab.url()).hash.replace("#node", "mirror");
      expect(await tab.locator(`[id='${shown}']`).innerText()).toContain(first);
    },
  );

  test("says that the mirrors cannot be loaded, and tries again at the next key", async () => {
    const tab = await tabs.show(largeFeed(30), "/");
    await tab.route("**/search.json", (route) => route.abort());
    await box(tab).fill("target-1");
    await expect.poll(() => count(tab)).toBe("The mirrors could not be loaded.");
    await tab.unroute("**/search.json");
    await box(tab).fill("target-2");
    await expect.poll(() => count(tab)).toBe("40 of 120 mirrors");
  });

  test("finds hostile names and those of any script, and shows them as text", async () => {
    const names = [`"><img src=x onerror=alert(1)>`, "مرآة مرايا", "зеркало · ミラー"];
    const tab = await tabs.show(largeFeed(30), "/");
    const mirrors = names.map((name, id) => [id, name, `https://m${id}.example.org`, "online", null, null]);
    const json = { sections: 8, notices: [], targets: [["large/project-1/target-1", ...mirrors]] };
    await tab.route("**/search.json", (route) => route.fulfill({ json }));
    for (const name of names) {
      await box(tab).fill(name);
      await expect.poll(() => count(tab)).toBe("1 of 120 mirrors");
      expect(await tab.locator(".results .name a").first().innerText()).toBe(name);
    }
    expect(await tab.locator(".results img").count()).toBe(0);
  });
});

describeInBrowser("the search of incidents", (tabs) => {
  test("filters the list by words", async () => {
    const tab = await tabs.show(noticedFeed(), "/incidents/");
    const lines = tab.locator(".month > ol > li:visible");
    const all = await lines.count();
    await tab.getByRole("searchbox", { name: "Find incidents" }).fill("FIREWALL replaced");
    expect(await lines.count()).toBe(1);
    expect(await tab.locator("main h2:visible").allInnerTexts()).toEqual(["Planned"]);
    expect(await tab.locator("output").innerText()).toBe(`1 / ${all}`);
    await tab.getByRole("searchbox").fill("");
    expect(await lines.count()).toBe(all);
  });
});
