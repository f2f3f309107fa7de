import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { overlay } from "../../../src/core/site/public.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { feedConfig } from "../../support/contract/feed.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { publishedFiles } from "../../support/published.ts";
import { describeInBrowser } from "./browser.ts";
import { assets } from "../../support/pages-site.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Hosts send these pages for missing paths. */
const unlinked = ["404.html", "errors/not-found.html"];

const files = overlay(publishedFiles(feedConfig), assets);

/** Serves a site without a configured URL below a path, on a stand-in for GitHub Pages. Returns its URL. */
async function serveBelow(mount: string): Promise<string> {
  const folder = temporaryFolder("mirrorfeed-anywhere-");
  const root = join(folder, "site");
  writeSite(root, files);
  const { url, close } = await startPagesServer(root, { basePath: mount });
  onTestFinished(close);
  return `${url}${mount}/`;
}

describeInBrowser("a site without a configured URL", (tabs) => {
  test(
    "loads all assets of every page, and every internal link works",
    async () => {
      const site = await serveBelow("/REPOSITORY");
      const tab = await tabs.open();
      const answers = new Map<string, number>();
      tab.on("response", (response) => answers.set(response.url(), response.status()));
      const pages = [site];
      const links = new Set<string>();
      for (const page of pages) {
        await tab.goto(page);
        expect(await isStyled(tab), page).toBe(true);
        for (const link of await linksOf(tab)) {
          links.add(link);
          if (isPage(link, site) && !pages.includes(link)) pages.push(link);
        }
      }
      const expected = files.filter(({ path }) => path.endsWith(".html") && !unlinked.includes(path));
      expect(pages).toHaveLength(expected.length);
      for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
      expect(answers.get(`${site}v1/report/index.json`)).toBe(200);
      expect([...answers].filter(([, status]) => status >= 400)).toEqual([]);
      expect([...answers.keys()].filter((url) => !url.startsWith(site))).toEqual([]);
    },
    // Two dozen pages take a browser a while on a busy machine.
    120_000,
  );
});

function isStyled(tab: Page): Promise<boolean> {
  return tab.evaluate(
    () =>
      [...document.styleSheets].every(({ cssRules }) => cssRules.length > 0) &&
      document.styleSheets.length > 0,
  );
}

/** Returns a page's links to its own origin, without queries and fragments. */
function linksOf(tab: Page): Promise<string[]> {
  return tab.evaluate(() => {
    const links = [...document.querySelectorAll<HTMLAnchorElement | HTMLLinkElement>("a[href], link[href]")];
    return links
      .filter(({ href }) => new URL(href).origin === location.origin)
      .map(({ href }) => href.replace(/[?#].*/, ""));
  });
}

function isPage(link: string, site: string): boolean {
  return link === site || (/\/$/.test(link) && !link.startsWith(`${site}v1/`));
}
