import { expect, test } from "vitest";
import { renderHtml } from "../../../../src/features/notify/channels/html.ts";
import { composed, hoursBefore, notifyConfig, notifyState } from "../../../support/notified-feed.ts";

const timeout = { status: 0, code: "timeout", phase: "connect", since: hoursBefore(3) } as const;
const state = notifyState({ 1: timeout, 2: {}, 3: {}, 4: {} });

test("a message as HTML loads nothing, and sets no colour that only one background allows", () => {
  const html = renderHtml(composed([{ event: "offline", nodes: [1] }], { state }));
  const tags = new Set([...html.matchAll(/<([a-z]\w*)/g)].map(([, name]) => name));
  const known = "html head meta title body h1 p bdi div b a br code span".split(" ");
  expect([...tags].filter((tag) => !known.includes(tag ?? ""))).toEqual([]);
  expect(html).not.toMatch(/src=|url\(|background|@import/);
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(new Set(html.match(/#[0-9a-f]{6}\b/g))).toEqual(new Set(["#808080"]));
  expect(html).toContain("mirrorfeed probe https://git.example.org/a/one --explain");
});

test("a message as HTML escapes names in texts and in links", () => {
  const name = `"><script>alert('1')</script>&amp;`;
  const url = "https://git.example.org/a?x=1&y=2";
  const systems = [
    {
      system: "s",
      projects: [{ project: "p", targets: [{ target: "t", network: [{ id: 1, url, name }] }] }],
    },
  ];
  const config = notifyConfig({ systems, site: { title: name }, probe: { kind: "http" } });
  const html = renderHtml(composed([{ event: "offline", nodes: [1] }], { state, config }));
  expect(html).not.toContain("<script");
  expect(html).toContain("&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;amp;");
  expect(html).toMatch(/href="https:\/\/git\.example\.org\/a\?x=1&amp;y=2"/);
});
