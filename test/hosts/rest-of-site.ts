import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cacheControl, errorDocuments, jsonText } from "../../src/contract/contract.ts";
import type { RegisteredHost } from "../../src/hosts/registry.ts";
import { ask } from "../support/contract/answers.ts";
import { feedConfig, feedFiles, writeFiles } from "../support/contract/feed.ts";
import type { Engine, StartEngine } from "./engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = "<title>The page</title>";
const report = '{"report":true}';

/** Tests the rest of a site below a path, and what the host must not serve of it. */
export function describeRestOfSite(
  host: RegisteredHost,
  start: StartEngine,
  hidden: readonly string[],
): void {
  describe("beside the contract", () => {
    const folder = temporaryFolder("mirrorfeed-rest-");
    let engine: Engine;
    beforeAll(async () => {
      const root = join(folder, "site");
      const input = { feed: feedConfig.systems, basePath: "/base" };
      const levels = ["", "alpha/", "alpha/v1/", "alpha/v1/network/"];
      writeFiles(root, [
        ...feedFiles,
        ...host.siteFiles(input),
        { path: "index.html", content: page },
        ...levels.map((level) => ({ path: `v1/report/${level}index.json`, content: report })),
        { path: ".mirrorfeed/manifest.json", content: "secret" },
      ]);
      engine = await start({ ...input, root, scratch: folder });
    });
    afterAll(async () => {
      await engine.close();
    });

    test.each([
      ["/base/", page],
      ["/base/index.html", page],
      ["/base/v1/report", report],
      ["/base/v1/report/?x", report],
      ["/base/v1/report/index.json", report],
      ["/base/v1/report/alpha", report],
      ["/base/v1/report/alpha/v1/", report],
      ["/base/v1/report/alpha/v1/network", report],
      ["/base/v1/report/alpha/v1/network/", report],
      ["/base/errors/target.json", jsonText(errorDocuments.target)],
    ])("%s is there", async (path, body) => {
      const { status, headers, body: sent } = await ask(engine.url, path);
      expect([status, sent.toString()]).toEqual([200, body]);
      expect(headers["content-type"]).toContain(body === page ? "text/html" : "application/json");
      expect([headers["access-control-allow-origin"], headers["cache-control"]]).toEqual(["*", cacheControl]);
    });

    test.each([...hidden, "/base/.mirrorfeed/manifest.json", "/base/%2Emirrorfeed/manifest.json"])(
      "%s is not",
      async (path) => {
        const { status, body } = await ask(engine.url, path);
        expect([status, body.toString()]).toEqual([404, expect.not.stringMatching("secret|/errors/")]);
      },
    );

    test("what may be kept of an error is the same", async () => {
      const { headers } = await ask(engine.url, "/base/v1/network/no-such-name");
      expect(headers["cache-control"]).toBe(cacheControl);
    });
  });
}
