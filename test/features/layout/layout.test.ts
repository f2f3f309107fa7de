import { expect, test } from "vitest";
import { compactHtml } from "../../../src/features/layout/layout.tsx";
import { describeInBrowser } from "../pages/browser.ts";

const page = `<!doctype html><html lang="en"><head><meta name="a" content="b"/><title>t</title></head><body>
<p class="a b" title="&quot;x=1&quot;" data-one="1">text =&quot;not&quot; a value <a href="../../">up</a><a href="?q=1&amp;b=2#c">c</a></p>
<dl><div><dt>one</dt><dd><b>1</b></dd></div><dt>two</dt><dd data-sums="1,2">2</dd><dd class="quiet">3</dd></dl>
<table><caption>c</caption><thead><tr><th scope="col">h</th></tr></thead><tbody><tr data-node="1"><th scope="row">n</th><td class="x">1</td><td></td></tr></tbody></table>
<svg viewBox="0 0 1 1" aria-hidden="true"><circle r="5.5"/><path class="good" d="M0 0h1"/></svg>m<wbr/>n</body></html>`;

describeInBrowser("a page without what a parser adds", (tabs) => {
  test("is shorter, has the same head, and is the same document to a browser", async () => {
    const compact = compactHtml(page);
    expect(compact.length).toBeLessThan(page.length - 70);
    expect(compact.split("<body")[0]).toBe(page.split("<body")[0]);
    const tab = await tabs.open();
    const parse = (text: string): Promise<string> =>
      tab.evaluate(
        (html) => new DOMParser().parseFromString(html, "text/html").documentElement.outerHTML,
        text,
      );
    expect(await parse(compact)).toBe(await parse(page));
  });
});
