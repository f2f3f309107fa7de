import { rm } from "node:fs/promises";
import { chromium, type Page } from "playwright-core";
import { listNodes } from "../../src/config/nodes.ts";
import { resolveFeed } from "../../src/feed/resolve.ts";
import { renderSite } from "../../src/run/render-site.ts";
import { overlay, readPublic } from "../../src/site/public.ts";
import { serveSite } from "../../src/site/serve.ts";
import { writeSite } from "../../src/site/write.ts";
import { advance } from "../../src/state/advance.ts";
import { feedOfSize, roundOf } from "./feed.ts";
import { installed } from "./installed.ts";
import { scratchFolder } from "./scratch.ts";
import { measurementRow, missingRow, type Row } from "./table.ts";

const path = installed("chromium");

/** Measures in Chromium a key in the search of many mirrors, from the key to the next picture. */
export async function searchRows(mirrors: number): Promise<Row[]> {
  const what = `a key in the search of ${mirrors} mirrors, in Chromium`;
  if (path === undefined) return [missingRow(what, "chromium")];
  const folder = await scratchFolder();
  const config = feedOfSize(mirrors / 4, 4);
  const nodes = listNodes(config);
  const round = roundOf(config);
  const feed = resolveFeed(config, nodes, round, advance(config, nodes, round, undefined));
  const isForPages = /^(?:index\.html|search\.json|v1\/network\/index\.json)$/;
  const files = renderSite(config, feed).filter((file) => isForPages.test(file.path));
  writeSite(folder, overlay(overlay(files, readPublic("dist/public")), readPublic("public")));
  const { url, close } = await serveSite(folder, { port: 0 });
  const browser = await chromium.launch({ executablePath: path, args: ["--headless", "--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/`);
    await page.getByRole("searchbox").waitFor();
    // The first key also fetches the index.
    await page.getByRole("searchbox").fill("t");
    await page.locator(".results").waitFor();
    const values: number[] = [];
    for (const query of ["t1", "t12", "m3 t1", "example", "group/t77"]) values.push(await keyMs(page, query));
    return [measurementRow({ what, goal: 100, values, show: (ms) => `${Math.round(ms)} ms` })];
  } finally {
    await browser.close();
    await close();
    await rm(folder, { recursive: true });
  }
}

/** Returns the milliseconds from a change of the search to the picture after it. */
function keyMs(page: Page, query: string): Promise<number> {
  return page.evaluate(async (value) => {
    const input = document.querySelector<HTMLInputElement>("#search input");
    const output = document.querySelector("#search output");
    if (input === null || output === null) throw new Error("The page has no search.");
    const changed = new Promise((resolve) => {
      new MutationObserver(resolve).observe(output, { childList: true, characterData: true, subtree: true });
    });
    const started = performance.now();
    input.value = value;
    input.dispatchEvent(new Event("input"));
    await changed;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - started;
  }, query);
}
