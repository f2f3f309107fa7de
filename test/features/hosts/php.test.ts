import { feedWith } from "../../support/feed-with.ts";
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { errorDocuments } from "../../../src/core/contract/contract.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { feedConfig, feedStatuses, writeFiles } from "../../support/contract/feed.ts";
import type { Engine, EngineSite } from "./engine.ts";
import { hasNginx, startNginx } from "./nginx-process.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const run = promisify(execFile);
const php = findProgram("php");
const hasCurl =
  php !== undefined && spawnSync(php, ["-r", "exit(extension_loaded('curl') ? 0 : 1);"]).status === 0;
const client = join(import.meta.dirname, "joomla-client.php");

/** How the client reads an answer. `urls` is null unless the answer is good. */
interface Reading {
  readonly status: number;
  readonly type: string;
  readonly error: string | null;
  readonly urls: readonly string[] | null;
}

const target = "/v1/network/alpha/main-tools/t-two";
const urls = ["1", "0", "1"].map(
  (status, place) => `https://mirror-${place}.example.org/alpha/main-tools/t-two/${status}`,
);
const good = ["", "/1", "/0"].map(
  (status) => [`${target}${status}`, urls.filter((url) => url.endsWith(status))] as const,
);
const misses = [
  ["/v1/network/no-such-name/main-tools/t1", "system"],
  ["/v1/network/alpha/no-such-name/t1", "project"],
  ["/v1/network/alpha/main-tools/no-such-name", "target"],
  [`${target}/2`, "status"],
] as const;

describeWith(
  "PHP with curl, and nginx",
  hasCurl && hasNginx,
  "The PHP client of Joomla Component Builder",
  () => {
    describe.each(["curl", "stream"] as const)("over the %s transport", (transport) => {
      describe.each<[string, Partial<Config["site"]>, (site: EngineSite) => Promise<Engine>]>([
        ["the preview server", {}, ({ root }) => serveSite(root, { port: 0 })],
        ["nginx", { host: "nginx" }, startNginx],
      ])("%s", (_, options, start) => {
        const read = useSite(transport, options, start);
        test.each(good)("%s", async (path, expected) => {
          expect(await read(path)).toEqual({ status: 200, type: jsonType, error: null, urls: expected });
        });
        test.each(misses)("%s is an unknown %s", async (path, name) => {
          const { error, code } = errorDocuments[name];
          expect(await read(path)).toEqual({ status: code, type: jsonType, error, urls: null });
        });
      });

      describe("a stand-in for GitHub Pages", () => {
        const read = useSite(transport, {}, ({ root }) => startPagesServer(root));
        test.each(good)("%s", async (path, expected) => {
          const reading = await read(path);
          // PHP's streams merge the headers of a redirect with those of the answer that follows. With site.slashless,
          // there is no redirect.
          if (transport === "stream") expect(reading).toMatchObject({ status: 301, urls: null });
          else expect(reading).toMatchObject({ status: 200, type: jsonType, urls: expected });
        });
        answersMissesAsPages(read);
      });

      describe("a stand-in for GitHub Pages, with site.slashless", () => {
        const read = useSite(transport, { slashless: true }, ({ root }) => startPagesServer(root));
        test.each(good)("%s", async (path, expected) => {
          const type = "text/html; charset=utf-8";
          expect(await read(path)).toEqual({ status: 200, type, error: null, urls: expected });
        });
        answersMissesAsPages(read);
      });
    });
  },
);

const jsonType = expect.stringMatching(/^application\/json/);

function answersMissesAsPages(read: (path: string) => Promise<Reading>): void {
  test.each(misses)("%s is not found", async (path) => {
    expect(await read(path)).toMatchObject({ status: 404, error: "Not found", urls: null });
  });
}

/** Serves the feed during the suite. Returns a function that makes the client read a path. */
function useSite(
  transport: "curl" | "stream",
  site: Partial<Config["site"]>,
  start: (site: EngineSite) => Promise<Engine>,
): (path: string) => Promise<Reading> {
  let engine: Engine;
  beforeAll(async () => {
    const folder = temporaryFolder("mirrorfeed-php-");
    const root = join(folder, "site");
    const config = { ...feedConfig, site: { ...feedConfig.site, ...site } };
    writeFiles(root, renderContract(feedWith(config, feedStatuses)));
    engine = closeAfterFile(await start({ root, scratch: folder, feed: config.systems, basePath: "" }));
  });
  return async (path) => {
    // Leaves out the environment's proxies, which curl would use even for a loopback address.
    const options = { env: { PATH: env["PATH"] } };
    const { stdout } = await run(php ?? "php", [client, transport, `${engine.url}${path}`], options);
    return JSON.parse(stdout) as Reading;
  };
}
