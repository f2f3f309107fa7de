import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/features/incidents/notice-markdown.ts";
import { trials } from "../../support/trials.ts";

/** The only tags and attributes that rendered Markdown can have. */
const harmless =
  /^<(?:\/?(?:p|h[2-6]|ul|li|em|strong|s|blockquote|pre|code|table|thead|tbody|tr|th|td|a)|hr|br|ol(?: start="\d+")?|code class="language-[^"<>]*"|a href="(?:https?:|mailto:|[^":]*(?:[/?#][^"]*)?")[^"]*"?(?: title="[^"]*")? rel="noreferrer nofollow"|a href="[^"]*" rel="noreferrer nofollow")>$/;

const unsafeLink = /href="\s*(?:javascript|vbscript|data|file):/i;

function expectHarmless(text: string): void {
  const html = renderMarkdown(text);
  for (const tag of html.match(/<[^>]*>/g) ?? []) expect(tag).toMatch(harmless);
  const withoutValues = html.replaceAll(/"[^"]*"/g, '""');
  expect(withoutValues).not.toMatch(/<(?:script|img|iframe|style|svg)|<[^>]* on\w+=|<[^>]* style=/i);
  expect(html).not.toMatch(unsafeLink);
}

describe("Markdown", () => {
  test("becomes HTML with headings below that of the page, and links that pass on nothing", () => {
    expect(
      renderMarkdown('# A *b*\n\n[c](https://c.example.org/ "d")\n\n- e\n\n| f |\n| -: |\n| g |\n'),
    ).toBe(
      [
        "<h2>A <em>b</em></h2>",
        '<p><a href="https://c.example.org/" title="d" rel="noreferrer nofollow">c</a></p>',
        "<ul>\n<li>e</li>\n</ul>",
        "<table>\n<thead>\n<tr>\n<th>f</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>g</td>\n</tr>\n</tbody>\n</table>\n",
      ].join("\n"),
    );
    const headings = renderMarkdown("## A\n#### B\n###### C\n## D\n");
    expect(headings).toBe("<h2>A</h2>\n<h3>B</h3>\n<h4>C</h4>\n<h2>D</h2>\n");
  });

  test("shows pictures as links, and as text within a link", () => {
    expect(renderMarkdown("![a & b](https://p.example.org/x.png)")).toBe(
      '<p><a href="https://p.example.org/x.png" rel="noreferrer nofollow">a &amp; b</a></p>\n',
    );
    expect(renderMarkdown("![](https://p.example.org/x.png)")).toContain(">https://p.example.org/x.png</a>");
    expect(renderMarkdown("[![a](https://p.example.org/x.png) b](/c)")).toBe(
      '<p><a href="/c" rel="noreferrer nofollow">a b</a></p>\n',
    );
  });

  test.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick=x>b</b>",
    "<!-- comment -->",
    "<style>*{display:none}</style>",
    "<iframe src=https://e.example.org></iframe>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](%6Aavascript:alert(1))",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](data:text/html,<script>alert(1)</script>)",
    "![a](data:image/png;base64,AAAA)",
    "![a](data:image/svg+xml,<svg onload=alert(1)>)",
    "![a](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    '[a](https://e.example.org/" onmouseover="alert(1))',
    '![" onerror="alert(1)](https://e.example.org/x.png)',
    '[a](https://e.example.org "\\" onclick=\\"alert(1)")',
    '```"><script>alert(1)</script>\nx\n```',
    "| a |\n| :-: |\n| b |",
    "&lt;script&gt; &#60;script&#62;",
    "\u202e[a](https://e.example.org)",
  ])("gives no way to run or load anything: %j", (text) => {
    expectHarmless(text);
  });

  test("has only known tags for any text", () => {
    const pieces =
      "<script> ]( [a ![ ) ` ** javascript: data: \n \n\n \" ' < > &#x6a; | --- #_ -_ \\ https://e.example.org";
    const piece = fc.oneof(
      fc.constantFrom(...pieces.split(" ").map((one) => one.replace("_", " "))),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (texts) => {
        expectHarmless(texts.join(""));
      }),
      { numRuns: trials(500) },
    );
  });

  test.each(["[", "![", "*a ", "> ", "`", "<a ", "- ", "[a](", "&", "|a|\n|-|\n", "_", "~~"])(
    "ends for 64 KiB of %j",
    (text) => {
      const html = renderMarkdown(text.repeat(65_536 / text.length));
      expect(html.length).toBeLessThan(20_000_000);
    },
  );
});
