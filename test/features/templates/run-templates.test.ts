import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advertisement } from "../../support/advertisement.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import type { ProcessExit } from "../../support/child.ts";
import { published, put } from "../../support/folder.ts";
import { runInProcess } from "../../support/in-process.ts";
import { writeOneTarget } from "../../support/one-target.ts";
import { testbed } from "../../support/start-testbed.ts";
import { startSwitchedMirror } from "../../support/switched-mirror.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder("mirrorfeed-templates-");

function mirrorfeed(command: string): Promise<ProcessExit> {
  return runInProcess([command], { folder });
}

test("a template in public/ is filled in at each run, and a wrong one is refused before any probe", async () => {
  const steady = await testbed.startServer(advertisement());
  const flaky = closeAfterTest(await startSwitchedMirror());
  writeOneTarget(folder, [`${flaky.url}/a`, `${steady.url}/a`]);
  const template = "{{#community/jcb/packages}}{{best.url}}{{/community/jcb/packages}}";
  put(folder, { "public/robots.txt.mustache": template });
  await mirrorfeed("run");
  expect(readFileSync(join(folder, "_site/robots.txt"), "utf8")).toBe(`${flaky.url}/a`);
  expect(Object.keys(published(join(folder, "_site")))).not.toContain("robots.txt.mustache");
  flaky.isDown = true;
  await mirrorfeed("run");
  expect(readFileSync(join(folder, "_site/robots.txt"), "utf8")).toBe(`${steady.url}/a`);

  put(folder, { "public/robots.txt.mustache": template.replace("best.url", "best.ulr") });
  const before = published(folder);
  const { code, stdout, stderr } = await mirrorfeed("run");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain('"public/robots.txt.mustache", line 1: "best.ulr" is unknown here');
  expect(published(folder)).toEqual(before);
  expect((await mirrorfeed("validate")).stderr).toBe(stderr);
});
