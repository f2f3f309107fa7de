import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cacheControl, errorDocuments, jsonText } from "../../../src/core/contract/contract.ts";
import type { Host } from "../../../src/features/hosts/host.ts";
import { type Answer, ask } from "../../support/contract/answers.ts";
import { feedConfig, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Engine, StartEngine } from "./engine.ts";

const page = "<title>The page</title>";
const signature = "signature\n";
const report = '{"report":true}';

export interface RestOptions {
  /** Paths that the host must not serve. */
  readonly hidden: readonly string[];
  /** The page for a missing path. */
  readonly notFound?: string;
  /** A file that is neither JSON nor HTML, if the engine knows its type. */
  readonly other?: { readonly file: string; readonly path: string; readonly type: string };
}

/**
 * Tests how a host serves the files of a site that are not part of the contract, and that it does not serve the hidden
 * paths. Returns a function that returns the running engine.
 */
export function testRestOfSite(host: Host, start: StartEngine, options: RestOptions): () => Engine {
  const { hidden, notFound = page, other } = options;
  let engine: Engine;
  beforeAll(async () => {
    const folder = temporaryFolder("mirrorfeed-rest-");
    const root = join(folder, "site");
    const input = { feed: feedConfig.systems, basePath: "/base" };
    const levels = ["", "alpha/", "alpha/v1/", "alpha/v1/network/"];
    writeFiles(root, [
      ...feedFiles,
      ...host.siteFiles(input),
      ...["index.html", "docs/index.html"].map((path) => ({ path, content: page })),
      ...levels.map((level) => ({ path: `v1/report/${level}index.json`, content: report })),
      ...["SHA256SUMS", "SHA256SUMS.minisig"].map((path) => ({ path, content: signature })),
      { path: ".mirrorfeed/manifest.json", content: "secret" },
      { path: "errors/not-found.html", content: notFound },
      ...(other === undefined ? [] : [{ path: other.file, content: page }]),
    ]);
    engine = closeAfterFile(await start({ ...input, root, scratch: folder }));
  });

  test.each<readonly [string, string, string]>([
    ["/base/", "text/html", page],
    ["/base/docs/?x", "text/html", page],
    ...["", "/?x", "/index.json", "/alpha", "/alpha/v1/", "/alpha/v1/network", "/alpha/v1/network/"].map(
      (path) => [`/base/v1/report${path}`, "application/json", report] as const,
    ),
    // The type does not matter, because clients read only the bytes.
    ["/base/SHA256SUMS", "", signature],
    ["/base/SHA256SUMS.minisig", "", signature],
    ["/base/errors/target.json", "application/json", jsonText(errorDocuments.target)],
    ...(other === undefined ? [] : [[other.path, other.type, page] as const]),
  ])("%s is %s", async (path, type, body) => {
    const answer = await ask(engine.url, path);
    expect([answer.status, answer.body.toString()]).toEqual([200, body]);
    expect(answer.headers["content-type"] ?? "").toContain(type);
    expectShared(answer);
  });

  // Both names have too many bytes for a file name, although the second has few characters.
  const longNames = ["x".repeat(2000), "%C3%A9".repeat(200)].map((name) => `/base/${name}`);
  test.each([
    ...hidden,
    ...longNames,
    "/base/.mirrorfeed/manifest.json",
    "/base/%2Emirrorfeed/manifest.json",
  ])("%s is not found", async (path) => {
    const answer = await ask(engine.url, path);
    expect([answer.status, answer.body.toString()]).toEqual([404, jsonText(errorDocuments["not-found"])]);
    expect(answer.headers["content-type"]).toMatch(/^application\/json(?:; charset=utf-8)?$/);
  });

  test("what may be kept of an error is the same", async () => {
    expectShared(await ask(engine.url, "/base/v1/network/no-such-name"));
    expectShared(await ask(engine.url, "/base/nothing/"));
  });
  return () => engine;
}

export function expectShared({ headers }: Answer): void {
  expect([headers["access-control-allow-origin"], headers["cache-control"]]).toEqual(["*", cacheControl]);
}
