import { textOf } from "../../../support/text-of.ts";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../../src/core/config/validate.ts";
import { describeConfig } from "../../../support/feed-with.ts";
import { renderDocs } from "../../../../src/features/openapi/docs/docs-page.tsx";
import { feedConfig } from "../../../support/contract/feed.ts";
import { hostNames } from "../../../../src/core/config/site-settings.ts";

function docs(config: Config): string {
  const [file] = renderDocs(config.site, describeConfig(config));
  expect(file?.path).toBe("docs/index.html");
  return textOf(file);
}

function withSite(site: Partial<Config["site"]>): Config {
  return { ...feedConfig, site: { ...feedConfig.site, ...site } };
}

/** Returns the first group of each match. */
function all(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, found = ""]) => found);
}

describe.each(hostNames)("the reference of a feed on %s", (host) => {
  const config = withSite({ host });
  const description = describeConfig(config);
  const html = docs(config);
  const ids = all(html, / id="([^"]*)"/g);

  test("has every path, response and schema of the description", () => {
    const { paths, tags, components } = description;
    for (const [path, { get }] of Object.entries(paths)) {
      expect(ids).toContain(get.operationId);
      const shown = path.replace(/\{\w+\}/g, (name) => `<var>${name}</var>`);
      expect(html).toContain(`<b>GET</b> <code>${shown}</code>`);
      const [, article = ""] = html.split(`aria-labelledby="${get.operationId}"`);
      const [own = ""] = article.split("</article>");
      for (const code of Object.keys(get.responses)) expect(own).toContain(`<code>${code}</code>`);
    }
    expect(ids).toEqual(expect.arrayContaining(Object.keys(components.schemas)));
    const { schemas } = components;
    const fields = Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties));
    for (const field of fields) expect(html).toContain(`<code>${field}</code>`);
    for (const { name } of tags) expect(html).toContain(`>${name}</h2>`);
  });

  test("links only to existing fragments", () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(all(html, / href="#([^"]*)"/g)));
    expect(ids).toEqual(expect.arrayContaining(all(html, / aria-labelledby="([^"]*)"/g)));
  });

  test("needs no script, no inline style and little space", () => {
    expect(html).not.toMatch(/<style| style="| on\w+="|<script(?! type="module" src="\.\.\/assets\/)/);
    expect(gzipSync(html).length).toBeLessThan(40 * 1024);
  });
});

describe("the reference", () => {
  test("has commands with the URL of the feed", () => {
    const html = docs(withSite({ url: "https://user.example.org/repository/" }));
    expect(html).toContain("curl -fsSL https://user.example.org/repository/v1/report/ |");
    expect(html).not.toContain("feed.example.org");
    expect(docs(feedConfig)).toContain('<dl data-url="https://feed.example.org" data-top="../">');
  });

  test("links to the path with a slash, which no host redirects", () => {
    expect(docs(feedConfig)).toContain('href="../v1/network/alpha/main-tools/t-two/1/"');
  });

  test("escapes every text of a configuration", () => {
    const title = `"><script>alert('1')</script>&lt;`;
    const html = docs(withSite({ title }));
    expect(html).not.toContain("<script>");
    expect(html).toContain("&lt;script>");
  });

  test("stays small with many long names", () => {
    const targets = Array.from({ length: 200 }, (_, index) => {
      const url = `https://m${index}.example.org/${"x".repeat(500)}`;
      return {
        target: `${index}-${"n".repeat(90)}`,
        network: [{ id: index + 1, name: "m".repeat(200), url }],
      };
    });
    const systems = [{ system: "s".repeat(100), projects: [{ project: "p".repeat(100), targets }] }];
    const html = docs(validateConfig(JSON.stringify({ systems }), "long.json"));
    expect(gzipSync(html).length).toBeLessThan(40 * 1024);
  });
});
