import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { errorDocuments, jsonText } from "../../../src/core/contract/contract.ts";
import { cloudflare } from "../../../src/features/hosts/cloudflare.ts";
import { type Answer, ask } from "../../support/contract/answers.ts";
import { feedConfig, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { pagesListener } from "../../support/pages-server.ts";
import { describeWith } from "../../support/requirement.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasCloudflare, startInEmulator, usePages } from "./cloudflare-engine.ts";
import { describeEngine, type Engine, type EngineSite, type StartEngine } from "./engine.ts";
import { expectShared, testRestOfSite } from "./rest-of-site.ts";

const known = "/v1/network/alpha/main-tools/t1";
const notFound = "<title>Page not found</title>";
const missing = jsonText(errorDocuments["not-found"]);
const unknown = "/v1/network/alpha/main-tools/no-such-name";

describeWith("wrangler, see .ci/install-engines", hasCloudflare, "cloudflare", () => {
  describe("Workers with static assets", () => {
    const start: StartEngine = (site) => startInEmulator(site, "wrangler.jsonc");
    describeEngine(cloudflare, start, { restartsOnRebuild: true });
    describeRest(start);
  });

  describe("Pages", () => {
    const start = usePages();
    describeEngine(cloudflare, start, { restartsOnRebuild: true });
    describeRest(start);
  });

  describe("in front of a host like GitHub Pages", () => {
    describeEngine(cloudflare, startBeforeOrigin);
    describeRest(startBeforeOrigin);
  });

  describeFailingOrigin();
});

describe("the files for Cloudflare", () => {
  const input = { feed: feedConfig.systems, basePath: "" };

  test("have the same worker, in the site and next to it", () => {
    const [site] = cloudflare.siteFiles(input);
    const listen = { address: "127.0.0.1", port: 0 };
    const files = cloudflare.serverFiles?.({ ...input, listen, root: "/site", companions: "/edge" });
    expect(files?.find(({ path }) => path === "worker.js")?.content).toBe(site?.content);
  });

  test.each([
    [20_000, []],
    [20_001, [/20001 files, .* free plan allows 20000: use a paid plan \(100000\), split the feed/]],
    [100_001, [/100001 files, .* allows 100000 on any plan: split the feed/]],
  ])("warn of too many files: %i", (files, expected) => {
    const warnings = cloudflare.warnings?.({ feed: feedConfig.systems, basePath: "", files });
    expect(warnings).toEqual(expected.map((pattern): unknown => expect.stringMatching(pattern)));
  });
});

/** Tests the files of a site that are not part of the contract. */
function describeRest(start: StartEngine): void {
  describe("besides the contract", () => {
    const files =
      "_worker.js %5Fworker.js _worker.js/ .assetsignore nothing/ no.css badge/%C3%A4%20b.svg/ badge/%C3%A4%20b.svg/x v1/report/alpha/x docs/index.html/x docs%2Findex.html";
    const engine = testRestOfSite(cloudflare, start, {
      hidden: ["/", "/docs/", "/basement", ...files.split(" ").map((file) => `/base/${file}`)],
      notFound,
      other: { file: "badge/ä b.svg", path: "/base/badge/%C3%A4%20b.svg", type: "image/svg+xml" },
    });

    test.each([
      ["/base/nothing/", "text/html,*/*;q=0.8", /^text\/html/, notFound],
      ["/base/docs/gone", "text/html", /^text\/html/, notFound],
      ["/base/nothing", "*/*", /^application\/json$/, missing],
      ["/base/no.css", "text/html", /^application\/json$/, missing],
      ["/base/v1/nothing", "text/html", /^application\/json$/, missing],
      ["/nothing", "text/html", /^application\/json$/, missing],
    ])("%s is not found with Accept: %s, and is %s", async (path, accept, type, content) => {
      const answer = await ask(engine().url, path, { headers: { Accept: accept } });
      expect([answer.status, answer.body.toString()]).toEqual([404, content]);
      expect(answer.headers["vary"]).toMatch(/\baccept(?!-)/i);
      expect(answer.headers["content-type"]).toMatch(type);
      expectShared(answer);
    });

    test("a document that did not change is not sent again, and that decides nothing about an unknown one", async () => {
      const send = (path: string, etag: string): Promise<Answer> =>
        ask(engine().url, `/base${path}`, { headers: { "If-None-Match": etag } });
      const { etag = "" } = (await ask(engine().url, `/base${known}`)).headers;
      expect(etag).not.toBe("");
      const again = await send(known, etag);
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expectShared(again);
      expect((await send(`${unknown}/2`, "*")).status).toBe(403);
      expect((await send(`${known}/2`, "*")).status).toBe(400);
    });
  });
}

/** Tests what the worker answers if it can't tell which documents exist, because the origin fails. */
function describeFailingOrigin(): void {
  describe("in front of an origin that fails", () => {
    let asked: string[] = [];
    let pages: RequestListener;
    let respond: RequestListener;
    let engine: Engine;
    beforeAll(async () => {
      const folder = temporaryFolder("mirrorfeed-cloudflare-");
      const root = join(folder, "site");
      writeFiles(root, feedFiles);
      pages = pagesListener(root, repository);
      const server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        respond(request, response);
      });
      const origin = originAt(closeAfterFile(await listenOnLoopback(server)).url, 500);
      const site = { root, scratch: folder, feed: feedConfig.systems, basePath: "" };
      engine = closeAfterFile(await startInEmulator(site, "wrangler-origin.jsonc", origin));
    });
    beforeEach(() => {
      asked = [];
      respond = pages;
    });
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
    const words = new Map([
      [502, "Bad gateway"],
      [503, "Service unavailable"],
      [504, "Gateway timeout"],
    ]);

    describe.each(problems)("with %s is answered with %i", (_, status, fails) => {
      function expectFailure({ status: answered, headers, body }: Answer): void {
        const document = jsonText({ error: words.get(status), code: status });
        expect([answered, body.toString()]).toEqual([status, document]);
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
  });
}

async function startBeforeOrigin(site: EngineSite): Promise<Engine> {
  const origin = await listenOnLoopback(createServer(pagesListener(site.root, repository)));
  const edge = await startInEmulator(site, "wrangler-origin.jsonc", originAt(origin.url, 10_000));
  return {
    url: edge.url,
    close: async () => {
      await edge.close();
      await origin.close();
    },
  };
}

const repository = { basePath: "/repository" };

function originAt(url: string, timeoutMs: number): Record<string, string> {
  return { ORIGIN: `${url}/repository`, ORIGIN_TIMEOUT_MS: String(timeoutMs) };
}

function answering(status: number, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, headers).end("not what was asked for");
  };
}
