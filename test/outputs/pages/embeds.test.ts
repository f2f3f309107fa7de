import { textOf } from "../../support/text-of.ts";
import { contentOf } from "../../../src/base/files/site-file.ts";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hosts } from "../../../src/hosts/registry.ts";
import { targetsOf } from "../../../src/feed/feed.ts";
import { embedHeight, renderEmbeds } from "../../../src/outputs/pages/embeds.tsx";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { feedConfig, writeFiles } from "../../support/contract/feed.ts";
import { everyView, examine } from "./axe.ts";
import { describeInBrowser } from "./browser.ts";
import { fiftyNodesFeed, hostileFeed, largeFeed, partialFeed, vantagesFeed } from "./feeds.ts";
import { servePages, type ServedSite } from "../../support/pages-site.ts";

const { feed, later } = partialFeed();

describe("an embed", () => {
  const files = renderEmbeds(feed);
  const embed = (target: string): string =>
    textOf(files.find(({ path }) => path === `embed/community/jcb/${target}/index.html`));

  test("is there for each target, and changes only with its state", () => {
    expect(files).toHaveLength(targetsOf(feed.systems).length);
    expect(renderEmbeds(later()).map(textOf)).toEqual(files.map(textOf));
  });

  test("shows the state in words and shape, each mirror, and a link to the page in a tab of its own", () => {
    const html = embed("super-powers");
    expect(html).toContain('<h1 class="some"><a href="../../../../status/community/jcb/super-powers/"');
    expect(html).toContain('target="_blank" rel="noopener"');
    expect(html).toContain("<p>1 of 2 mirrors is offline.</p>");
    expect(html).toContain('<li class="offline">github.com/joomengine/super-powers <b>Offline</b></li>');
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    expect(html).not.toMatch(/<script|style=| on\w+=/);
  });

  test("says that the locations disagree", () => {
    const split = renderEmbeds(vantagesFeed().feed).map(textOf).join("");
    expect(split).toContain("<p>The locations disagree about 1 mirror.</p>");
    expect(files.map(textOf).join("")).not.toContain("disagree");
  });

  test("counts the mirrors beyond five", () => {
    const html = textOf(renderEmbeds(largeFeed(10, 12).feed)[0]);
    expect(html.match(/<li[ >]/g)).toHaveLength(6);
    expect(html).toContain("<li>and 7 more</li>");
  });

  test("shows the worst mirrors first", () => {
    const states = files.map((file) => [...textOf(file).matchAll(/<b>(\w+)<\/b>/g)].map(([, word]) => word));
    const order = ["Offline", "Wrong", "Differs", "Behind", "Maintenance", "Unknown", "Online"];
    const ranks = states.map((words) => words.map((word) => order.indexOf(word ?? "")));
    for (const rank of ranks) expect(rank).toEqual(rank.toSorted((one, other) => one - other));
    expect(states).toContainEqual(["Offline", "Online"]);
  });

  test("takes less than 1.2 kB", () => {
    for (const file of [...files, ...renderEmbeds(largeFeed(10).feed)])
      expect(Buffer.byteLength(contentOf(file))).toBeLessThan(1200);
    for (const file of renderEmbeds(fiftyNodesFeed().feed))
      expect(Buffer.byteLength(contentOf(file))).toBeLessThan(1400);
  });

  test.each(hosts)("may be framed by every page with the files of $name", ({ siteFiles, serverFiles }) => {
    const [feed, listen] = [feedConfig.systems, { address: "127.0.0.1", port: 80 }];
    const input = { feed, basePath: "", listen, root: "/srv", companions: "/etc/feed" };
    for (const file of [...siteFiles(input), ...(serverFiles?.(input) ?? [])])
      expect(textOf(file)).not.toMatch(/x-frame-options|frame-ancestors/i);
    expect(embed("super-powers")).not.toContain("frame-ancestors");
  });

  test("shows hostile names as text", () => {
    const html = renderEmbeds(hostileFeed().feed).map(textOf);
    expect(html.join("")).not.toMatch(/<script|<img/);
  });
});

describeInBrowser("an embed in a browser", (tabs) => {
  test("axe finds nothing, light, dark or in forced colors", async () => {
    const site = await serveEmbeds();
    const tab = await tabs.show(site, "/embed/community/jcb/super-powers/", {
      viewport: { width: 320, height: 120 },
    });
    await examine(tab, everyView);
  }, 120_000);

  test("the line of its target has a height that shows all of it", async () => {
    const wide = largeFeed(10, 12);
    for (const shown of [partialFeed(), wide]) {
      const site = await serveEmbeds(shown.feed);
      const [target] = targetsOf(shown.feed.systems);
      if (target === undefined) throw new Error("the feed has a target");
      const viewport = { width: 360, height: embedHeight(target) };
      const tab = await tabs.show(site, `/embed/${target.place}/`, { viewport });
      expect(await tab.evaluate(() => document.documentElement.scrollHeight)).toBe(viewport.height);
    }
  });

  test("the snippet of the documentation shows it in the page of another site", async () => {
    const site = await serveEmbeds();
    const [, snippet = ""] =
      /^```html\n(.*?)^```$/ms.exec(readFileSync(".github/docs/use-a-feed.md", "utf8")) ?? [];
    const page = `<!doctype html><title>Another site</title>${snippet.replace("https://status.example.org", site.url)}`;
    const other = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(page));
    const { url } = closeAfterTest(await listenOnLoopback(other));
    const tab = await tabs.open({ javaScriptEnabled: false }, site.url);
    await tab.goto(`${url}/`);
    const frame = tab.frameLocator("iframe");
    expect(await frame.locator("h1").innerText()).toBe("packages");
    expect(await frame.locator("p").innerText()).toBe("1 of 2 mirrors differs from its reference.");
    expect(await frame.locator("li").count()).toBe(2);
    expect(await frame.locator("h1 a").evaluate((a) => getComputedStyle(a).minHeight)).toBe("24px");
    const opened = tab.context().waitForEvent("page");
    await frame.locator("h1 a").click();
    expect(new URL((await opened).url()).pathname).toBe("/status/community/jcb/packages/");
  });
});

async function serveEmbeds(shown = feed): Promise<ServedSite> {
  const site = await servePages({ feed: shown });
  const stylesheet = readFileSync("public/assets/embed.css", "utf8");
  writeFiles(site.folder, [...renderEmbeds(shown), { path: "assets/embed.css", content: stylesheet }]);
  return site;
}
