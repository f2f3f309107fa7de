import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { serveSite } from "../../src/features/serve/serve.ts";
import { loadDocument, textsBelow } from "../support/document.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { runInProcess } from "../support/in-process.ts";
import { mirrorsOf } from "../support/one-target.ts";
import { startSwitchedMirror } from "../support/switched-mirror.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const execute = promisify(execFile);

test("the script notes where the feed and this machine disagree, and sums it up", async () => {
  const folder = temporaryFolder();
  const [script = ""] = textsBelow(loadDocument(".github/docs/fortnight.md"), "Prepare", "js");
  writeFileSync(join(folder, "fortnight.mjs"), script);
  const [steady, failing] = [await startSwitchedMirror(), await startSwitchedMirror()];
  const network = [{ url: `${steady.url}/a` }, { url: `${failing.url}/a` }];
  writeFileSync(join(folder, "mirrors.json"), mirrorsOf(network));
  expect(await runInProcess(["run"], { folder })).toMatchObject({ code: 0 });
  const site = closeAfterTest(await serveSite(join(folder, "_site"), { port: 0 }));
  const run = (...parameters: readonly string[]) => {
    const env = { ...process.env, MIRRORFEED: `${execPath} ${resolve("dist/cli.js")}` };
    return execute(execPath, ["fortnight.mjs", ...parameters], { cwd: folder, env });
  };
  await run(site.url);
  failing.isDown = true;
  for (let look = 0; look < 2; look += 1) await run(site.url);
  const notes = readFileSync(join(folder, "fortnight.jsonl"), "utf8").trim().split("\n");
  expect(notes.map((line) => (JSON.parse(line) as { differ: unknown[] }).differ.length)).toEqual([0, 1, 1]);
  const { stdout } = await run();
  expect(stdout).toContain("3 looks, 1 runs.");
  expect(stdout).toMatch(/mirror 2: ok in the feed, reset here\n.* here, again\n$/);
});
