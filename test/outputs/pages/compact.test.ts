import { expect, test } from "vitest";
import { compactHtml } from "../../../src/outputs/pages/layout.tsx";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser } from "./browser.ts";
import { healthyFeed } from "./feeds.ts";

const page = `<!doctype html><html lang="en"><head><meta name="a" content="b"/><title>t</title></head><body>
<p class="a b" title="&quot;x=1&quot;" data-one="1">text ="not" a value <a href="../../">up</a><a href="?q=1&amp;b=2#c">c</a></p>
<dl><div><dt>one</dt><dd><b>1</b></dd></div><dt>two</dt><dd data-sums="1,2">2</dd><dd class="quiet">3</dd></dl>
<table><caption>c</caption><thead><tr><th scope="col">h</th></tr></thead><tbody><tr data-node="1"><th scope="row">n</th><td class="x">1</td><td></td></tr></tbody></table>
<svg viewBox="0 0 1 1" aria-hidden="true"><circle r="5.5"/><path class="good" d="M0 0h1"/></svg>m<wbr/>n</body></html>`;

describeInBrowser("a page without what a parser adds", (tabs) => {
  test("is shorter, has the same head, and is the same document to a browser", async () => {
    // Preact escapes quotes in texts.
    const rendered = page.replace('="not"', "=&quot;not&quot;");
    const compact = compactHtml(rendered);
    expect(compact.length).toBeLessThan(rendered.length - 70);
    expect(compact.split("<body")[0]).toBe(rendered.split("<body")[0]);
    const tab = await tabs.show(await servePages(healthyFeed()), "/", 5);
    const [one, other] = await tab.evaluate(
      (texts) =>
        texts.map((text) => new DOMParser().parseFromString(text, "text/html").documentElement.outerHTML),
      [rendered, compact],
    );
    expect(other).toBe(one);
  });
});
