import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { renderPages } from "../../../src/outputs/pages/pages.tsx";
import { writeFiles } from "../../support/contract/feed.ts";
import { dataOf, leftOf, pseudo, textsOf } from "../../support/pseudo-language.ts";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser } from "./browser.ts";
import { largeFeed, partialFeed, type PlayedFeed, vantagesFeed } from "./feeds.ts";

/** Returns a language's module with marks around each of the script's words. */
function markedModule(file: string): string {
  const mark = `const mark = (one) =>
    typeof one === "string" ? "⟦" + one + "⟧"
    : typeof one === "function" ? (...args) => mark(one(...args))
    : Array.isArray(one) ? one.map(mark)
    : typeof one === "object" && one !== null ? Object.fromEntries(Object.entries(one).map(([key, part]) => [key, mark(part)]))
    : one;`;
  const source = readFileSync(file, "utf8");
  return `${source.replace(/export const (english\w*)(?::[^=]*)? =/g, "const plain$1 =")}
    ${mark}
    ${[...source.matchAll(/export const (english\w*)(?::[^=]*)? =/g)].map(([, name = ""]) => `export const ${name} = mark(plain${name});`).join("\n")}`;
}

async function markedScript(): Promise<{ path: string; content: string }[]> {
  const { outputFiles } = await build({
    entryPoints: ["src/outputs/pages/browser/status.ts", "src/outputs/pages/browser/days.ts"],
    outdir: "assets",
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    plugins: [
      {
        name: "marks",
        setup(bundle) {
          bundle.onResolve({ filter: /^\.\/days\.ts$/ }, () => ({ path: "./days.js", external: true }));
          bundle.onLoad({ filter: /words\/english(?:-\w+)?\.ts$/ }, ({ path }) => ({
            contents: markedModule(path),
            loader: "ts",
          }));
        },
      },
    ],
  });
  return outputFiles.map(({ path, text }) => ({
    path: `assets/${path.split("/").at(-1) ?? ""}`,
    content: text,
  }));
}

const pages: Readonly<Record<string, readonly [PlayedFeed, path: string, after: number]>> = {
  "the overview": [partialFeed(), "/", 5],
  "an expired overview": [partialFeed(), "/", 3 * 1440],
  "a target": [partialFeed(), "/status/community/jcb/joomla-powers/", 5],
  "several vantages": [vantagesFeed(), "/", 5],
  "many mirrors": [largeFeed(30), "/", 5],
  "a large target": [largeFeed(10, 12), "/status/large/project-0/target-0/", 5],
};

describeInBrowser("no word of the script is left out of the catalogue", (tabs) => {
  test.each(Object.entries(pages))("on %s", async (_, [played, path, after]) => {
    const site = await servePages(played);
    writeFiles(site.folder, [...renderPages(played.feed, pseudo), ...(await markedScript())]);
    const tab = await tabs.show(site, path, { after });
    const search = tab.getByRole("searchbox");
    await tab.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    if ((await search.count()) > 0) await search.first().fill("nothing that is there");
    const texts = textsOf(await tab.content());
    // Dates come from the browser's `Intl`, not from the catalogue.
    const date = /\d{1,2} \p{L}{3,4} \d{4}(?:, \d{2}:\d{2} UTC)?/gu;
    const data = dataOf(played);
    const left = texts.map((text) => leftOf(text.replaceAll(date, ""), data)).filter((text) => text !== "");
    expect([...new Set(left)]).toEqual([]);
  });
});
