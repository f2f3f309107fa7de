import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindNames } from "../../../src/core/kinds/kinds.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { writeFeed } from "../../support/mirror-feed.ts";
import { startServer } from "../../support/mirror-server.ts";
import type { ProcessExit } from "../../support/child.ts";
import { buildCopy, compiled, copyExample, copySource } from "../../support/source-copy.ts";

/** The content of each mirror's file, by the mirror's folder. Other folders get a 404. */
const dates: Readonly<Record<string, string>> = {
  "/a/": "2026-03-08\n",
  "/b/": "2026-03-08",
  "/c/": "2026-03-01\n",
  "/d/": "<title>Parked</title>",
};

const copy = copySource();
copyExample(copy, "core/kinds/dated.ts");
appendFileSync(join(copy, "src/core/kinds/kind-registry.ts"), 'export { dated } from "./dated.ts";\n');
const program = await buildCopy(copy);
const requests: string[] = [];

const server = closeAfterFile(
  await startServer(({ path, response }) => {
    requests.push(path);
    const [, folder = "", file] = /^(\/\w+\/)(STAMP)?$/.exec(path) ?? [];
    const date = dates[folder];
    if (date === undefined) response.writeHead(404).end();
    else response.end(file === undefined ? "<title>A folder</title>" : date);
  }),
);

function mirrorfeed(...parameters: string[]): Promise<ProcessExit> {
  return program(copy, ...parameters);
}

function writeConfig(folders: readonly string[]): void {
  const urls = folders.map((folder) => `${server.url}${folder}`);
  writeFeed(copy, urls, { kind: "dated", dated: { file: "STAMP" } });
}

function siteText(path: string): string {
  return readFileSync(join(copy, "_site", path), "utf8");
}

test("the example of a kind compiles", { timeout: 120_000 }, () => {
  const { files, problems } = compiled(copy, "src/core/kinds/kinds.ts");
  expect(files).toContain("src/core/kinds/dated.ts");
  expect(problems).toEqual([]);
});

test("one new file and one line add a kind: a feed of it runs from the configuration to the site", async () => {
  writeConfig(["/a/", "/b/", "/c/", "/d/", "/e/"]);
  const run = await mirrorfeed("run");
  expect(run.stderr).toMatch(/^_site: \d+ files written, 0 unchanged, 0 removed\.\n$/);
  expect(run.code).toBe(0);
  const document: unknown = JSON.parse(siteText("v1/network/s/p/t/index.json"));
  expect(document).toMatchObject({ network: [1, 1, 1, 0, 0].map((status) => ({ status })) });
  const report: unknown = JSON.parse(siteText("v1/report/s/p/t/index.json"));
  expect(report).toMatchObject({
    reference: { revision: "2026-03-08" },
    network: [
      { code: "ok", revision: "2026-03-08", freshness: "in_sync" },
      { code: "ok", revision: "2026-03-08", freshness: "in_sync" },
      { code: "ok", revision: "2026-03-01", freshness: "unknown" },
      { code: "not_dated", sentence: "Its file does not contain a date.", http_status: 200 },
      { code: "http_status", http_status: 404 },
    ],
  });
  expect(requests.filter((path) => path.startsWith("/a/"))).toEqual(["/a/", "/a/STAMP"]);
  expect(siteText("status/s/p/t/index.html")).not.toContain("git clone");
  const openapi = siteText("openapi.json");
  expect(openapi).toContain("`not_dated`: Its file does not contain a date.");
  expect(openapi).toContain("dated: the date of the content; git: the object id of HEAD");
  expect(siteText("docs/index.html")).toContain("<code>not_dated</code>");
});

test("its rules, options and name are those of the configuration and of --kind", async () => {
  writeConfig(["/a"]);
  const wrong = await mirrorfeed("validate");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("network[0].url: is not a folder; end it with a slash");
  writeFeed(copy, [`${server.url}/a/`], { kind: "dated", dated: { file: "a b" } });
  const sentence = "probe.dated.file: must be a path of letters, digits and . _ / -";
  expect((await mirrorfeed("validate")).stderr).toContain(sentence);
  const help = (await mirrorfeed("pick", "--help")).stdout.replaceAll(/\s+/g, " ");
  expect(help).toContain(`(one of ${[...kindNames, "dated"].sort().join(", ")})`);
});
