import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, focused, phone } from "./browser.ts";
import { countriesFeed, largeFeed, manyMirrorsFeed, noticedFeed, partialFeed } from "./feeds.ts";
import { servePages } from "../../support/pages-site.ts";

const box = (tab: Page): ReturnType<Page["getByRole"]> => tab.getByRole("searchbox");
const visible = (tab: Page): Promise<number> => tab.locator(".node:visible").count();
const names = (tab: Page): Promise<string[]> =>
  tab.locator(".node:visible .name a:first-child").allInnerTexts();
const count = (tab: Page): Promise<string> => tab.locator("output").innerText();

describeInBrowser("the search", (tabs) => {
  test("filters the rows of a page by name and URL as one types, counts aloud, and is kept in the URL", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await expect.poll(() => box(tab).count()).toBe(1);
    await tab.keyboard.press("/");
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
    await tab.keyboard.type("Github.com POWERS");
    expect(await names(tab)).toEqual([
      "github.com/joomengine/super-powers",
      "github.com/joomengine/joomla-powers",
    ]);
    expect(await tab.getByRole("status").filter({ hasText: "2 of 22 mirrors" }).count()).toBe(1);
    expect(new URL(tab.url()).search).toBe("?q=Github.com%20POWERS");
    // Targets without a match are hidden too.
    expect(await tab.locator(".target:visible").count()).toBe(2);

    await tab.getByRole("link", { name: "github.com/joomengine/super-powers", exact: true }).last().click();
    await tab.waitForURL("**/super-powers/#node-2");
    await tab.goBack();
    await expect.poll(() => visible(tab)).toBe(2);
    expect(await box(tab).inputValue()).toBe("Github.com POWERS");
    await tab.getByRole("button", { name: "Clear" }).click();
    expect(await visible(tab)).toBe(22);
    expect(new URL(tab.url()).search).toBe("");
    expect(await focused(tab)).toBe("Paste what failed, or find a mirror");
  });

  test("has chips for the states that occur, with their counts, which add up", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    const chips = tab.locator(".chips button");
    await expect
      .poll(() => chips.allInnerTexts())
      .toEqual(["Offline 4", "Differs 1", "Behind 1", "Certificate expires 1", "Maintenance 1"]);
    const chip = (name: string): ReturnType<Page["getByRole"]> => tab.getByRole("button", { name });
    await chip("offline").focus();
    await tab.keyboard.press("Space");
    expect(await visible(tab)).toBe(4);
    expect(await chip("offline").getAttribute("aria-pressed")).toBe("true");
    await chip("behind").click();
    expect(await count(tab)).toBe("5 of 22 mirrors");
    expect(new URL(tab.url()).search).toBe("?state=offline,behind");
    await chip("offline").click();
    expect(await names(tab)).toEqual(["github.com/joomengine/joomla-powers"]);
  });

  test("sorts by state, uptime, latency and name, and back to the listed order", async () => {
    const tab = await tabs.show(partialFeed(), "/");
    await expect.poll(() => box(tab).count()).toBe(1);
    const before = await names(tab);
    const order = tab.getByRole("combobox", { name: "Sort by" });
    const values = (name: string): Promise<number[]> =>
      tab
        .locator(".node:visible")
        .evaluateAll((rows, key) => rows.map((row) => Number((row as HTMLElement).dataset[key])), name);
    const words = (): Promise<string[]> =>
      tab.locator(".node:visible .notes > b:first-child").allInnerTexts();
    const four = Array.from({ length: 4 }, () => "Offline");
    await order.selectOption("name");
    expect(await names(tab)).toEqual(before.toSorted((left, right) => left.localeCompare(right)));
    for (const key of ["uptime", "latency"]) {
      await order.selectOption(key);
      // Offline mirrors come last, whatever their uptime.
      const sorted = (await values(key)).slice(0, 18);
      expect(sorted).toEqual(sorted.toSorted((left, right) => left - right));
      expect(await words().then((all) => all.slice(18))).toEqual(four);
    }
    await order.selectOption("state");
    expect(await words()).toEqual([
      ...[...four, "Differs", "Behind", "Online · in sync", "Maintenance"],
      ...Array.from({ length: 14 }, () => "Online · in sync"),
    ]);
    expect(new URL(tab.url()).search).toBe("?sort=state");
    await order.selectOption("page");
    expect(await names(tab)).toEqual(before);
    expect(await tab.locator(".target:visible").count()).toBe(11);
  });

  test("sorts all rows of a table that is split into groups, and back", async () => {
    const tab = await tabs.show(manyMirrorsFeed(60, { days: 10 }), "/");
    const rows = tab.locator(".mirrors tbody tr");
    const ids = (): Promise<(string | null)[]> =>
      rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-node")));
    await box(tab).waitFor();
    expect(await tab.locator(".mirrors tbody").count()).toBe(2);
    const before = await ids();
    const order = tab.getByRole("combobox", { name: "Sort by" });
    await order.selectOption("latency");
    const latencies = await rows.evaluateAll((all) =>
      all.map((row) => Number(row.getAttribute("data-latency") ?? Infinity)),
    );
    expect(latencies).toHaveLength(60);
    expect(latencies).toEqual(latencies.toSorted((left, right) => left - right));
    await order.selectOption("page");
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
      const remotes = [
        "origin\thttps://me:secret@github.com/joomengine/gitea.git (fetch)",
        "origin\tgit@github.com:joomengine/gitea.git (push)",
      ];
      data.setData("text/plain", remotes.join("\n"));
      document.querySelector("input")?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
    });
    const answer = tab.locator(".answer");
    await expect
      .poll(() => answer.innerText())
      .toMatch(
        /^Not you: github.com\/joomengine\/gitea is offline, for 6 hours\.\n+Checked \d+ minutes ago · It answered with an HTTP error \(HTTP 502\) · 17 of 20 others are reachable\n+The operator: gitea.example.org moves to new disks · next update in 1\d\d minutes$/,
      );
    expect(await names(tab)).toEqual(["github.com/joomengine/gitea"]);
    expect(new URL(tab.url()).search).not.toContain("secret");
    const shared = await tabs.show(
      noticedFeed(),
      `/?q=${encodeURIComponent("git@github.com:joomengine/snippets")}`,
      { viewport: phone },
    );
    await expect
      .poll(() => shared.locator(".answer").innerText())
      .toContain("github.com/joomengine/snippets answers us.");
    // The answer is in the first screen, even below the operator's notices.
    const bottomOf = async (): Promise<number> => {
      const { y = NaN, height = NaN } = (await shared.locator(".answer").boundingBox()) ?? {};
      return Math.floor(y + height);
    };
    await expect.poll(bottomOf).toBeLessThanOrEqual(phone.height);
    expect(await shared.locator(".answer code").innerText()).toBe("https://git.vdm.dev/joomla/snippets");
    await shared.getByRole("searchbox").fill("https://nowhere.example.org/a");
    await expect.poll(() => count(shared)).toBe("No mirror here is at nowhere.example.org.");
    expect(await shared.locator(".answer").innerText()).toBe("");
  });

  test("counts the mirrors of a host that failed", async () => {
    const tab = await tabs.show(noticedFeed(), "/?q=Could+not+resolve+host:+github.com");
    await expect
      .poll(() => tab.locator(".answer").innerText())
      .toBe("11 mirrors: 3 offline, 1 different, 1 behind, 1 in maintenance, 5 online.");
    expect(await visible(tab)).toBe(11);
  });

  test("finds a country by its name and its code, and a state", async () => {
    const tab = await tabs.show(countriesFeed(), "/");
    for (const [typed, found] of [
      ["france", 3],
      ["de", 3],
      ["deb", 4],
      ["offline", 1],
    ] as const) {
      await box(tab).fill(typed);
      await expect.poll(() => visible(tab)).toBe(found);
    }
  });

  test("says that no mirror matches, and clears by keyboard", async () => {
    const tab = await tabs.show(partialFeed(), "/?q=nothing&state=offline", {
      viewport: phone,
    });
    await expect.poll(() => count(tab)).toBe("No mirrors match.");
    expect(await visible(tab)).toBe(0);
    await tab.getByRole("button", { name: "Clear" }).focus();
    await tab.keyboard.press("Enter");
    expect(await visible(tab)).toBe(22);
    expect(await tab.getByRole("button", { name: "Clear" }).count()).toBe(0);
  });

  test("finds mirrors of folded targets by the index of the feed, and shows a limited number", async () => {
    const site = await servePages(largeFeed(300));
    for (const [path, total] of [
      ["/", 1200],
      ["/status/large/", 1200],
      ["/status/large/project-3/", 120],
    ] as const) {
      const tab = await tabs.show(site, path);
      const fetched: string[] = [];
      tab.on("request", (request) => fetched.push(new URL(request.url()).pathname));
      await expect.poll(() => box(tab).count()).toBe(1);
      expect(await visible(tab)).toBe(0);
      expect(fetched).not.toContain("/search.json");
      await box(tab).fill("project-3/target-17");
      await expect.poll(() => count(tab)).toBe(`4 of ${total.toLocaleString("en")} mirrors`);
      expect(await tab.locator(".project:visible").count()).toBe(0);
      await box(tab).fill("target");
      await expect.poll(() => count(tab)).toBe(`50 of ${total.toLocaleString("en")} shown`);
      expect(await visible(tab)).toBe(50);
      await tab.getByRole("button", { name: "offline" }).click();
      await tab.getByRole("combobox").selectOption("name");
      expect(await tab.locator(".node:visible .notes").first().innerText()).toBe("Offline");
      const [first = ""] = await names(tab);
      await tab.getByRole("link", { name: first, exact: true }).last().click();
      await tab.waitForURL(/\/status\/large\/project-\d\/target-\d+\/#node-\d+$/);
      expect(
        await tab.locator(`${new URL(tab.url()).hash.replace("#node", "[id='mirror")}']`).innerText(),
      ).toContain(first);
    }
  });

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
