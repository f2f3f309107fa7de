import { textOf } from "../../support/text-of.ts";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { renderPages } from "../../../src/outputs/pages/pages.tsx";
import { plainHtml } from "../../support/plain-html.ts";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser } from "./browser.ts";
import { largeTargetFeed } from "./feeds.ts";

const path = "/status/large/packages/release/";

describeInBrowser("the page of a target of 400 mirrors", (tabs) => {
  const played = largeTargetFeed(400);
  const page = renderPages(played.feed).find((file) => `/${file.path}` === `${path}index.html`);

  test("is below 80 kilobytes, has every URL and status, and a page for each mirror", () => {
    const html = plainHtml(textOf(page));
    expect(gzipSync(html).length).toBeLessThan(80_000);
    for (let id = 1; id <= 400; id += 1) {
      expect(html).toContain(`href="https://mirror${id}.example.org/release"`);
      expect(html).toContain(`status/large/packages/release/${id}/"`);
    }
    expect(html.match(/<td><svg class="shape (?:online|offline)"/g)).toHaveLength(400);
  });

  test("has fewer than 15,000 nodes in a browser, those of text too", async () => {
    const tab = await tabs.open();
    const { url } = await servePages(played);
    await tab.goto(url + path);
    await expect.poll(() => tab.locator("[data-as-of]").first().innerText()).toBe("up to the last run");
    const count = await tab.evaluate(() => {
      const walker = document.createTreeWalker(document);
      let nodes = 1;
      while (walker.nextNode() !== null) nodes += 1;
      return nodes;
    });
    expect(count).toBeLessThan(15_000);
  });
});
