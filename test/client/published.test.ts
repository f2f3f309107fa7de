import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { renderSite } from "../../src/app/render-site.ts";
import { readPublic } from "../../src/core/site/public.ts";
import { serveSite } from "../../src/features/serve/serve.ts";
import { describeInBrowser } from "../features/pages/browser.ts";
import { lastRun, partialFeed } from "../features/pages/feeds.ts";
import { typeCheck } from "../support/compiler.ts";
import { writeFiles } from "../support/contract/feed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const built = join(import.meta.dirname, "../../dist/public");

async function serve(files: Parameters<typeof writeFiles>[1]): Promise<string> {
  const folder = temporaryFolder("mirrorfeed-client-");
  writeFiles(folder, files);
  const { url, close } = await serveSite(folder, { port: 0 });
  onTestFinished(close);
  return url;
}

describeInBrowser("the client of a feed", (tabs) => {
  test("is imported and used by a page of another origin", async () => {
    const { config, feed } = partialFeed();
    const url = await serve([...renderSite(config, feed), ...readPublic(built)]);
    const script = `import { check, pick } from "${url}/client.js";
      const options = { now: () => ${lastRun} };
      const target = "community/jcb/joomla-powers";
      const results = [await check("${url}/", target, options), await pick("${url}/", target, options)];
      document.title = JSON.stringify(results.map(({ outcome }) => outcome));`;
    const html = '<link rel="icon" href="data:,"><script type="module" src="script.js"></script>';
    const other = await serve([
      { path: "v1/network/index.json", content: "{}" },
      { path: "script.js", content: script },
      { path: "index.html", content: html },
    ]);
    const tab = await tabs.open({}, url);
    await tab.goto(`${other}/`);
    await expect.poll(() => tab.title()).toBe('["reachable","reachable"]');
  });
});

describe("the types of the client of a feed", () => {
  test("are one file that needs no other, which client.js names for Deno", () => {
    const folder = temporaryFolder("mirrorfeed-types-");
    const program = `import { check, pick, type CheckResult, type MirrorState } from "./client.js";
      const found: CheckResult = await check("https://a.example.org/", "s/p/t", { fresh: true });
      const state: MirrorState | undefined = found.outcome === "unknown" ? undefined : "online";
      const wrong: number = (await pick("https://a.example.org/", "s/p/t")).outcome;
      export { state, wrong };`;
    writeFiles(folder, [
      { path: "client.d.ts", content: readFileSync(join(built, "client.d.ts"), "utf8") },
      { path: "program.ts", content: program },
    ]);
    const { files, problems } = typeCheck(folder, {
      files: ["program.ts"],
      compilerOptions: {
        ...{ strict: true, target: "es2022", module: "esnext", moduleResolution: "bundler" },
        ...{ lib: ["es2023", "dom", "dom.iterable"], types: [] },
      },
    });
    expect(problems).toEqual([expect.stringMatching(/^program\.ts\(4,13\): error TS2322: /)]);
    expect(files.filter((file) => file.startsWith(folder)).length).toBe(2);
    expect(readFileSync(join(built, "client.js"), "utf8")).toContain('// @ts-self-types="./client.d.ts"\n');
  });
});
