import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cacheControl, errorDocuments, jsonText } from "../../src/contract/contract.ts";
import { cloudflare } from "../../src/hosts/cloudflare.ts";
import { type Answer, ask } from "../support/contract/answers.ts";
import { feedConfig, feedFiles, writeFiles } from "../support/contract/feed.ts";
import { largeConfig } from "../support/large-feed.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { describeWith } from "../support/requirement.ts";
import { makeScratchFolder, removeScratchFolder } from "../support/scratch-folder.ts";
import {
  hasCloudflare,
  serverFile,
  startByCommand,
  startInEmulator,
  startPagesByCommand,
  usePages,
} from "./cloudflare-engine.ts";
import { describeEngine, type Engine, type EngineSite, type StartEngine } from "./engine.ts";
import { useSites } from "./sites.ts";

const known = "/v1/network/alpha/main-tools/t1";
const unknown = "/v1/network/alpha/main-tools/no-such-name";

interface Mode {
  readonly mode: string;
  /** Returns how a site is started for the suite that calls this. */
  readonly useEngine: () => StartEngine;
  /** How a site is started whose host is asked little. */
  readonly startRest: StartEngine;
  readonly restartsOnRebuild: boolean;
}

describeWith("wrangler, see .ci/install-engines", hasCloudflare, "cloudflare", () => {
  const sites = useSites(cloudflare);
  const modes: Mode[] = [
    {
      mode: "Workers with static assets",
      useEngine: () => (site) => startInEmulator(site, "wrangler.jsonc"),
      startRest: (site) => startByCommand(site, "wrangler.jsonc"),
      restartsOnRebuild: true,
    },
    { mode: "Pages", useEngine: usePages, startRest: startPagesByCommand, restartsOnRebuild: true },
    {
      mode: "in front of a host like GitHub Pages",
      useEngine: () => startBeforeOrigin,
      startRest: startBeforeOrigin,
      restartsOnRebuild: false,
    },
  ];
  for (const { mode, useEngine, startRest, restartsOnRebuild } of modes) {
    describe(mode, () => {
      describeEngine(cloudflare, useEngine(), { sites, restartsOnRebuild });
      describeRest(startRest);
    });
  }
  describeFailingOrigin();
});

describe("the files for Cloudflare", () => {
  const input = { feed: feedConfig.systems, basePath: "" };

  test("are the same for every feed", () => {
    const large = { feed: largeConfig(50).systems, basePath: "" };
    expect(cloudflare.siteFiles(large)).toEqual(cloudflare.siteFiles(input));
  });

  test("have one worker, in the site and beside it", () => {
    const [site] = cloudflare.siteFiles(input);
    expect(serverFile("worker.js", { ...input, root: "/site", scratch: "/edge" })).toBe(site?.content);
  });

  test.each([
    [20_000, []],
    [20_001, [/20001 files, .* free plan allows 20000: take a paid plan \(100000\), split the feed/]],
    [100_001, [/100001 files, .* allows 100000 on any plan: split the feed/]],
  ])("warn of too many files: %i", (files, expected) => {
    const warnings = cloudflare.warnings?.({ feed: feedConfig.systems, basePath: "", files });
    expect(warnings).toEqual(expected.map((pattern): unknown => expect.stringMatching(pattern)));
  });
});

/** What a site has besides the contract, and how it may be kept. */
function describeRest(start: StartEngine): void {
  describe("besides the contract", () => {
    const ends: (() => unknown)[] = [];
    let engine: Engine;
    beforeAll(async () => {
      const folder = temporaryFolder(ends);
      const root = join(folder, "site");
      const feed = feedConfig.systems;
      writeFiles(root, [
        ...feedFiles,
        ...cloudflare.siteFiles({ feed, basePath: "/base" }),
        { path: "index.html", content: "the page" },
        { path: "docs/index.html", content: "the documentation" },
        { path: "v1/report/a.b/index.json", content: '{"report":true}' },
        { path: "badge/ä b.svg", content: "<svg/>" },
        { path: ".mirrorfeed/manifest.json", content: "secret" },
      ]);
      engine = await start({ root, scratch: folder, feed, basePath: "/base" });
      ends.push(engine.close);
    });
    afterAll(() => endAll(ends));

    test.each([
      ["/base/", "text/html", "the page"],
      ["/base/docs/?x", "text/html", "the documentation"],
      ["/base/v1/report/a.b", "application/json", '{"report":true}'],
      ["/base/v1/report/a.b/", "application/json", '{"report":true}'],
      ["/base/badge/%C3%A4%20b.svg", "image/svg+xml", "<svg/>"],
    ])("%s is %s", async (path, type, body) => {
      const answer = await ask(engine.url, path);
      expect([answer.status, answer.body.toString()]).toEqual([200, body]);
      expect(answer.headers["content-type"]).toContain(type);
      expectShared(answer);
    });

    test.each(
      "/ /docs/ /basement /base/_worker.js /base/%5Fworker.js /base/_worker.js/ /base/.assetsignore /base/nothing/ /base/no.css /base/badge/%C3%A4%20b.svg/ /base/badge/%C3%A4%20b.svg/x /base/v1/report/a.b/x /base/docs/index.html/x /base/.mirrorfeed/manifest.json /base/%2Emirrorfeed/manifest.json /base/docs%2Findex.html"
        .split(" ")
        .map((path) => [path]),
    )("%s is not found", async (path) => {
      const answer = await ask(engine.url, path);
      expect([answer.status, answer.body.toString()]).toEqual([404, jsonText(errorDocuments["not-found"])]);
      expect(answer.headers["content-type"]).toBe("application/json");
      expectShared(answer);
    });

    test("a document that did not change is not sent again, and that decides nothing about an unknown one", async () => {
      const first = await ask(engine.url, `/base${known}`);
      const etag = first.headers.etag ?? "";
      expect(etag).not.toBe("");
      expectShared(first);
      const headers = { "If-None-Match": etag };
      const again = await ask(engine.url, `/base${known}`, { headers });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expectShared(again);
      const missing = await ask(engine.url, `/base${unknown}/2`, { headers: { "If-None-Match": "*" } });
      expect(missing.status).toBe(403);
      const invalid = await ask(engine.url, `/base${known}/2`, { headers: { "If-None-Match": "*" } });
      expect(invalid.status).toBe(400);
      expectShared(invalid);
    });
  });
}

/** An origin that does not answer well says nothing of what there is. */
function describeFailingOrigin(): void {
  describe("in front of an origin that fails", () => {
    const ends: (() => unknown)[] = [];
    let asked: string[] = [];
    let pages: RequestListener;
    let respond: RequestListener;
    let engine: Engine;
    beforeAll(async () => {
      const folder = temporaryFolder(ends);
      const root = join(folder, "site");
      writeFiles(root, feedFiles);
      pages = likeGitHubPages(root);
      const origin = await listenOnLoopback(
        createServer((request, response) => {
          asked.push(`${request.method} ${request.url}`);
          respond(request, response);
        }),
      );
      ends.push(origin.close);
      engine = await startInEmulator(
        { root, scratch: folder, feed: feedConfig.systems, basePath: "" },
        "wrangler-origin.jsonc",
        originAt(origin.url, 500),
      );
      ends.push(engine.close);
    });
    beforeEach(() => {
      asked = [];
      respond = pages;
    });
    afterAll(() => endAll(ends));

    const problems: [problem: string, status: number, fails: RequestListener][] = [
      ["500", 502, answering(500)],
      ["403", 502, answering(403)],
      ["a redirect", 502, answering(301, { Location: "/" })],
      ["a page", 502, answering(200, { "Content-Type": "text/html; charset=utf-8" })],
      ["503", 503, answering(503, { "Retry-After": "7" })],
      ["429", 503, answering(429, { "Retry-After": "7" })],
      ["504", 504, answering(504)],
      ["a reset", 502, (request) => request.socket.resetAndDestroy()],
      ["silence", 504, () => undefined],
    ];
    const words: Record<number, string> = {
      502: "Bad gateway",
      503: "Service unavailable",
      504: "Gateway timeout",
    };

    describe.each(problems)("with %s is answered with %i", (_, status, fails) => {
      function expectFailure({ status: answered, headers, body }: Answer): void {
        expect([answered, body.toString()]).toEqual([
          status,
          jsonText({ error: words[status] ?? "", code: status }),
        ]);
        expect(headers["content-type"]).toBe("application/json");
        expect(headers["access-control-allow-origin"]).toBe("*");
        expect(headers["cache-control"]).toBe("no-store");
        expect(headers["retry-after"]).toBe(status === 503 ? "7" : undefined);
      }

      test("when a document is asked for", async () => {
        respond = fails;
        expectFailure(await ask(engine.url, known));
      });

      test("when it fails after a document was missing", async () => {
        const above = "/repository/v1/network/alpha/index.json";
        respond = (request, response) => {
          if (request.url === above) fails(request, response);
          else pages(request, response);
        };
        expectFailure(await ask(engine.url, unknown));
        expect(asked).toEqual([`GET /repository${unknown}/index.json`, `HEAD ${above}`]);
      });
    });

    test.each([
      [known, 200, 1],
      [`${known}/1/`, 200, 1],
      ["/v1/network/no-such-name", 403, 1],
      ["/v1/network/no-such-name/b/c/1", 403, 2],
      [unknown, 403, 3],
      [`${unknown}/1`, 403, 4],
      [`${known}/2`, 400, 3],
      [`${known}/1/2/3`, 400, 3],
      ["/v1/network/%0A/b/c", 403, 0],
    ])("asks as little as it can: %s is %i after %i", async (path, status, count) => {
      expect((await ask(engine.url, path)).status).toBe(status);
      expect(asked).toHaveLength(count);
    });

    test("asks with conditions for the document alone", async () => {
      const conditions: unknown[] = [];
      respond = (request, response) => {
        conditions.push(request.headers["if-none-match"] ?? request.headers["if-modified-since"]);
        pages(request, response);
      };
      await ask(engine.url, `${unknown}/1`, { headers: { "If-None-Match": '"x"', Range: "bytes=0-1" } });
      expect(conditions).toEqual(['"x"', undefined, undefined, undefined]);
    });
  });
}

function temporaryFolder(ends: (() => unknown)[]): string {
  const folder = makeScratchFolder("mirrorfeed-cloudflare-");
  ends.push(() => {
    removeScratchFolder(folder);
  });
  return folder;
}

/** Ends what was started, the last first, even where the start of the next one failed. */
async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  for (const end of ends.toReversed()) await end();
}

function expectShared({ headers }: Answer): void {
  expect(headers["access-control-allow-origin"]).toBe("*");
  expect(headers["cache-control"]).toBe(cacheControl);
}

async function startBeforeOrigin(site: EngineSite): Promise<Engine> {
  const origin = await listenOnLoopback(createServer(likeGitHubPages(site.root)));
  const edge = await startInEmulator(site, "wrangler-origin.jsonc", originAt(origin.url, 10_000));
  return {
    url: edge.url,
    close: async () => {
      await edge.close();
      await origin.close();
    },
  };
}

function originAt(url: string, timeoutMs: number): Record<string, string> {
  return { ORIGIN: `${url}/repository`, ORIGIN_TIMEOUT_MS: String(timeoutMs) };
}

function answering(status: number, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, headers).end("not what was asked for");
  };
}

const types: Record<string, string> = { json: "application/json", html: "text/html", svg: "image/svg+xml" };

/** A project site of GitHub Pages: redirects to the slash, pages for errors, ten minutes of cache, ETags. */
function likeGitHubPages(root: string): RequestListener {
  return (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://origin").pathname);
    const file = join(root, path.replace(/^\/repository/, ""));
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    if (!path.startsWith("/repository/")) answering(404, { "Content-Type": "text/html" })(request, response);
    else if (!isFolder) sendFile(request, response, file);
    else if (!path.endsWith("/")) answering(301, { Location: `${request.url ?? ""}/` })(request, response);
    else {
      const inside = ["index.html", "index.json"]
        .map((name) => join(file, name))
        .find((one) => existsSync(one));
      sendFile(request, response, inside ?? join(file, "index.html"));
    }
  };
}

function sendFile({ method, headers }: IncomingMessage, response: ServerResponse, file: string): void {
  response.setHeader("Cache-Control", "max-age=600");
  response.setHeader("Age", "300");
  if (!existsSync(file)) {
    response.writeHead(404, { "Content-Type": "text/html; charset=utf-8" }).end("<h1>File not found</h1>");
    return;
  }
  const etag = `"${statSync(file).mtimeMs}-${statSync(file).size}"`;
  response.setHeader("ETag", etag);
  response.setHeader("Content-Type", types[file.split(".").at(-1) ?? ""] ?? "application/octet-stream");
  const isKnown = [etag, "*"].includes(headers["if-none-match"] ?? "");
  if (isKnown) response.writeHead(304);
  response.end(isKnown || method === "HEAD" ? undefined : readFileSync(file));
}
