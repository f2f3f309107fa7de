import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { overlay } from "../../../src/core/site/public.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { feedConfig, feedDocuments } from "../../support/contract/feed.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { assets } from "../../support/pages-site.ts";
import { publishedFiles } from "../../support/published.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { deploy, type Tamper, verify } from "../../support/deployment.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const files = overlay(publishedFiles(feedConfig), assets);
const unlinked = ["404.html", "errors/not-found.html"];
const pageCount = files.filter(({ path }) => path.endsWith(".html") && !unlinked.includes(path)).length;

/** Serves a site below a path, like GitHub Pages, and verifies it. `change` may change the site's files first. */
async function verifyBelow(mount: string, change: (root: string) => void, site = files) {
  const folder = temporaryFolder("mirrorfeed-crawl-");
  const root = join(folder, "site");
  writeSite(root, site);
  change(root);
  const { url } = closeAfterTest(await startPagesServer(root, { basePath: mount }));
  return { url, ...(await verify(`${url}${mount}/`, { profile: "pages" })) };
}

/** Serves the contract and these pages from memory, each page with the type of its extension. */
function deployPages(more: Readonly<Record<string, string>>, tamper: Tamper = (draft) => draft) {
  const documents = new Map<string, Buffer | string>([...feedDocuments, ...Object.entries(more)]);
  const types: Record<string, string> = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
  return deploy(documents, (draft, request, response) => {
    const path = (request.url ?? "").replace(/\?.*/, "");
    const type = path.startsWith("/v1/") ? undefined : (types[path.split(".")[1] ?? ""] ?? "text/html");
    const isPage = draft.status === 200 && type !== undefined && !path.startsWith("/errors/");
    const typed = isPage ? { ...draft, headers: { ...draft.headers, "Content-Type": type } } : draft;
    return tamper(typed, request, response);
  });
}

describe("the pages of a deployment", () => {
  test("are all fetched, with what they load and link to, below any path", async () => {
    const { checked, failed, stopped } = await verifyBelow("/REPOSITORY", () => undefined);
    expect({ failed, stopped }).toEqual({ failed: [], stopped: undefined });
    expect(checked.pages.checked).toBe(checked.pages.of);
    expect(checked.pages.checked).toBeGreaterThan(2 * pageCount);
  });

  test("that load from the top of the host do not load below a path", async () => {
    const page = '<link rel="stylesheet" href="/assets/status.css"><a href="/docs/">Documents</a>';
    const { url, failures } = await verifyBelow("/REPOSITORY", (root) => {
      writeFileSync(join(root, "index.html"), page);
    });
    const [rule, actual] = ["/ refers to this.", expect.stringMatching(/^404/)];
    expect(failures).toMatchObject([
      { path: `${url}/assets/status.css`, rule, expected: "200, the type of .css files", actual },
      { path: `${url}/docs/`, rule, expected: "200, the type of .html files", actual },
    ]);
  });

  test("that lack a page, a script, or a picture are reported with the page that names it", async () => {
    const { failures } = await verifyBelow("/feed", (root) => {
      for (const path of ["docs", "assets/status.js", "assets/icon.svg"])
        rmSync(join(root, path), { recursive: true });
    });
    const missing = ["/assets/icon.svg", "/assets/status.js", "/docs/"];
    expect(failures.map(({ path }) => path).sort()).toEqual(missing);
  });

  test("are missed at the top of a site that has their report", async () => {
    const { failures } = await verifyBelow("/feed", (root) => {
      rmSync(join(root, "index.html"));
    });
    expect(failures.map(({ path, actual }) => [path, actual.slice(0, 3)])).toEqual([["/", "404"]]);
  });

  test("of the wrong type are reported", async () => {
    const page = '<script src="a.js"></script><link rel="stylesheet" href="b.css"><img src="c.svg">';
    const site = { "index.html": page, "a.js": "", "b.css": "", "c.svg": "" };
    const { url } = await deployPages(site, (draft, { url: path = "" }) => {
      const headers = { ...draft.headers, "Content-Type": "text/plain" };
      return /^\/[abc]\./.test(path) ? { ...draft, headers } : draft;
    });
    const { failures } = await verify(url);
    expect(failures.map(({ path, expected }) => [path, expected])).toEqual([
      ["/a.js", "200, the type of .js files"],
      ["/b.css", "200, the type of .css files"],
      ["/c.svg", "200, the type of .svg files"],
    ]);
  });

  test("are looked at up to a bound, however many there are and however they lead on", async () => {
    const linksTo = (id: number) => `<a href="p${id}/">p</a><img src="i${id}.svg"><img src="j${id}.svg">`;
    const links = Array.from({ length: 300 }, (_, index) => linksTo(index)).join("");
    const { url, asked } = await deployPages({ "index.html": links }, (draft, { url: path = "" }) => {
      if (!/^\/(?:p|i|j)\d/.test(path)) return draft;
      const type = path.endsWith("/") ? "text/html" : "image/svg+xml";
      return { status: 200, headers: { "Content-Type": type }, body: `<a href="x${path.length}/">on</a>` };
    });
    expect(await verify(url)).toMatchObject({ failed: [], checked: { pages: { checked: 600, of: 1101 } } });
    expect(asked.length).toBeLessThanOrEqual(1200);
  });

  test("are counted up to a bound, however many links each has", async () => {
    const links = Array.from({ length: 1100 }, (_, index) => `<a href="p${index}/">p</a>`).join("");
    const { url } = await deployPages({ "index.html": links }, (draft, { url: path = "" }) =>
      path.startsWith("/p") ? { status: 200, headers: { "Content-Type": "text/html" }, body: links } : draft,
    );
    expect(await verify(url)).toMatchObject({ failed: [], checked: { pages: { checked: 600, of: 10_000 } } });
  });

  test("are followed over redirects to the slash, and not off their origin", async () => {
    const page = '<a href="a">a</a><a href="b">b</a><a href="https://elsewhere.example.org/">c</a>';
    const away = { status: 302, headers: { Location: "https://login.example.org/" }, body: "" };
    const { url } = await deployPages({ "index.html": page, "a/index.html": "" }, (draft, { url: path }) => {
      if (path === "/a") return { status: 301, headers: { Location: "a/" }, body: "" };
      return path === "/b" ? away : draft;
    });
    const { failures, checked } = await verify(url);
    expect(failures.map(({ path, actual }) => [path, actual.slice(0, 3)])).toEqual([["/b", "302"]]);
    expect(checked.pages).toEqual({ checked: 3, of: 3 });
  });
});

test("a page of any text costs no more than its length", async () => {
  const hostile = ["<a ", '<a href="', "<a x href=", "<!--", "<"].map((piece) => piece.repeat(100_000));
  const { url } = await deployPages({ "index.html": hostile.join("") });
  expect((await verify(url)).failed).toEqual([]);
});
