import { textOf } from "../../../support/text-of.ts";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../../src/core/config/validate.ts";
import { describeConfig } from "../../../support/feed-with.ts";
import { renderDocs } from "../../../../src/features/openapi/docs/docs-page.tsx";
import { configArbitrary } from "../../../support/arbitrary.ts";
import { feedConfig } from "../../../support/contract/feed.ts";
import { hostNames } from "../../../../src/core/config/host-names.ts";
import { trials } from "../../../support/trials.ts";

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

function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

describe.each(hostNames)("the reference of a feed on %s", (host) => {
  const config = withSite({ host });
  const description = describeConfig(config);
  const html = docs(config);
  const ids = all(html, / id="([^"]*)"/g);

  test("has every path, answer, name and schema of the description", () => {
    const { paths, tags, components } = description;
    for (const [path, { get }] of Object.entries(paths)) {
      expect(ids).toContain(get.operationId);
      const shown = path.replace(/\{\w+\}/g, (name) => `<var>${name}</var>`);
      expect(html).toContain(`<b>GET</b> <code>${shown}</code>`);
      const [, article = ""] = html.split(`aria-labelledby="${get.operationId}"`);
      const [own = ""] = article.split("</article>");
      for (const code of Object.keys(get.responses)) expect(own).toContain(`<code>${code}</code>`);
    }
    const names = [...Object.keys(components.schemas), ...Object.keys(components.responses)];
    expect(ids).toEqual(expect.arrayContaining(names));
    const fields = Object.values(components.schemas).flatMap(({ properties = {} }) =>
      Object.keys(properties),
    );
    for (const field of fields) expect(html).toContain(`<code>${field}</code>`);
    for (const { name } of tags) expect(html).toContain(`>${name}</h2>`);
    expect(html).toMatch(/<details><summary>Response, \d+ lines<\/summary>/);
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
    expect(html).toContain("curl https://user.example.org/repository/v1/network/</code>");
    expect(html).not.toContain("feed.example.org");
    expect(docs(feedConfig)).toContain('<dl data-url="https://feed.example.org" data-top="../">');
  });

  test("ends its URLs with a slash for a host that redirects, so that no command has to follow", () => {
    const line = "curl https://feed.example.org/v1/network/alpha/main-tools/t-two/1";
    expect(docs(withSite({ host: "github-pages" }))).toContain(`${line}/</code>`);
    expect(docs(withSite({ host: "github-pages", slashless: true }))).toContain(`${line}/</code>`);
    expect(docs(withSite({ host: "nginx" }))).toContain(`${line}</code>`);
  });

  test("escapes every text of a configuration", () => {
    const label = `"><script>alert('1')</script>&lt;`;
    const network = [{ id: 1, name: label, url: "https://a.example.org/?q=%22%3E%3Cscript%3E&amp;" }];
    const targets = [{ target: "t", network }];
    const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
    const html = docs(
      validateConfig(
        JSON.stringify({ systems, probe: { kind: "http" }, site: { title: label } }),
        "hostile.json",
      ),
    );
    expect(html).not.toContain("<script>");
    expect(unescape(html)).toContain(`"name": ${JSON.stringify(label)}`);
  });

  test("shows examples that parse to the same JSON", () => {
    fc.assert(
      fc.property(configArbitrary, (config) => {
        const { paths } = describeConfig(config);
        const shown = all(docs(config), /<pre class="docs-body-text">([^<]*)<\/pre>/g).map(unescape);
        const parsed = new Set(
          shown.filter((text) => /^[[{]/.test(text)).map((text) => JSON.stringify(JSON.parse(text))),
        );
        for (const { get } of Object.values(paths)) {
          const ok = get.responses["200"];
          const content = ok !== undefined && "content" in ok ? ok.content["application/json"] : undefined;
          for (const { value } of Object.values(content?.examples ?? {}))
            expect(parsed).toContain(JSON.stringify(value));
        }
      }),
      { numRuns: trials(10) },
    );
  });

  test("stays small with many long names", () => {
    const targets = Array.from({ length: 200 }, (_, index) => ({
      target: `${index}-${"n".repeat(90)}`,
      network: [
        { id: index + 1, name: "m".repeat(200), url: `https://m${index}.example.org/${"x".repeat(500)}` },
      ],
    }));
    const systems = [{ system: "s".repeat(100), projects: [{ project: "p".repeat(100), targets }] }];
    const html = docs(validateConfig(JSON.stringify({ systems }), "long.json"));
    expect(gzipSync(html).length).toBeLessThan(40 * 1024);
  });
});
