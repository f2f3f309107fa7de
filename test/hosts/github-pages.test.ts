import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorDocuments, jsonText } from "../../src/contract.ts";
import { githubPages } from "../../src/hosts/github-pages.ts";
import { renderContract } from "../../src/render/site.ts";
import { type ContractCase, contractCases, documentCases } from "../../src/site/verify/cases.ts";
import { overlay } from "../../src/site/public.ts";
import { writeSite } from "../../src/site/write.ts";
import { type Answer, ask, expectAnswer } from "../contract/answers.ts";
import { feedConfig, feedDocuments, feedFiles } from "../contract/feed.ts";
import { halfOnline, largeConfig } from "./large-feed.ts";
import type { Listening } from "./loopback.ts";
import { startPagesServer } from "./pages-server.ts";

const notFound = jsonText(errorDocuments["not-found"]);

/** A document's own file is served as what it is. */
const ownFiles = ["index.json", "0/index.json", "1/index.json"].map(
  (file) => `GET /v1/network/{system}/{project}/{target}/${file}`,
);
const filesThemselves = [
  "GET /v1/network/index.json",
  "GET /v1/network/{system}/index.json",
  "GET /v1/network/{system}/{project}/index.json",
  ...ownFiles,
];

// There is no engine of GitHub Pages to run: the server is a stand-in, made from what is documented and reported of it.
describe("github-pages (a stand-in for the service)", () => {
  describe.each(["", "/repository"])("below “%s”", (basePath) => {
    const site = servedSite(
      basePath,
      overlay(feedFiles, githubPages.siteFiles({ feed: feedConfig.systems, basePath })),
    );

    test.each(contractCases(feedConfig.systems))("$id", async (one) => {
      const answer = await ask(site().url, `${basePath}${one.path}`, { method: one.method });
      if (one.expect.kind === "contained")
        expect(answer.body.toString("latin1")).not.toMatch(/root:|\[core\]/);
      else if (one.expect.kind === "document") await expectDocument(one, answer, site().url);
      else if (one.expect.status === 405) expect(answer.status).toBe(405);
      else if (filesThemselves.includes(one.id)) expect(answer.status).toBe(200);
      else expectNotFound(one, answer);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    });

    test("keeps everything for ten minutes, and a document that did not change is not sent again", async () => {
      const { headers } = await ask(site().url, `${basePath}/v1/network/`);
      expect(headers["cache-control"]).toBe("max-age=600");
      const again = await ask(site().url, `${basePath}/v1/network/`, {
        headers: { "If-None-Match": headers.etag ?? "" },
      });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect((await ask(site().url, `${basePath}/nothing`)).headers["cache-control"]).toBe("max-age=600");
    });
  });

  test("a project's site has nothing outside of its path", async () => {
    const { status } = await ask(outside().url, "/v1/network/");
    expect(status).toBe(404);
  });
  const outside = servedSite("/repository", feedFiles);

  describe("with 5000 targets", () => {
    const config = largeConfig(5000);
    const files = renderContract(config, halfOnline(config));
    const site = servedSite("", files);
    const documents = new Map(files.map(({ path, content }) => [path, Buffer.from(content)]));
    const cases = documentCases(config.systems).filter(({ path }) => path.endsWith("/"));
    test.each(cases.filter((_, index) => index % 500 === 0))("$id", async (one) => {
      expectAnswer(one, await ask(site().url, one.path), documents);
    });
  });
});

describe("the files for GitHub Pages", () => {
  test("are the same for every feed and path", () => {
    const large = githubPages.siteFiles({ feed: largeConfig(50).systems, basePath: "/repository" });
    expect(large).toEqual(githubPages.siteFiles({ feed: feedConfig.systems, basePath: "" }));
    expect(large).toEqual([
      { path: "404.html", content: notFound },
      { path: ".nojekyll", content: "" },
    ]);
  });
});

/** Served while the tests of the suite run. */
function servedSite(basePath: string, files: Parameters<typeof writeSite>[1]): () => Listening {
  const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-pages-"));
  let server: Listening | undefined;
  beforeAll(async () => {
    const root = join(folder, "site");
    writeSite(root, files);
    server = await startPagesServer(root, { basePath });
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    if (server === undefined) throw new Error("The server is not running.");
    return server;
  };
}

/** The document, or a redirect to it where the slash at the end is missing. */
async function expectDocument(one: ContractCase, answer: Answer, url: string): Promise<void> {
  if (/\/(?:\?|$)/.test(one.path)) {
    expectAnswer(one, answer, feedDocuments);
    return;
  }
  expect(answer.status).toBe(301);
  const location = new URL(answer.headers.location ?? "", url);
  expect(location.pathname).toMatch(/\/$/);
  const { method } = one;
  expectAnswer(one, await ask(url, `${location.pathname}${location.search}`, { method }), feedDocuments);
}

function expectNotFound({ method }: ContractCase, { status, headers, body }: Answer): void {
  expect([status, body.toString()]).toEqual([404, method === "HEAD" ? "" : notFound]);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
}
