import { execFile } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { openShellCommand } from "../support/shell-command.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commitMirrors, createGitHub, deployedStatuses } from "../support/github.ts";
import { target } from "../support/mirrors.ts";
import { expectResults, summaryOf } from "../support/outcome.ts";
import { runWorkflow } from "../support/step-runner.ts";

const execute = promisify(execFile);

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(() => testbed.close());

// From the package as npm packs it, by npx, in an empty folder: nothing of it is taken from a registry.
test("init from a packed package makes a repository whose workflows run", async () => {
  const folder = temporaryFolder();
  await execute("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]);
  const [tarball = ""] = readdirSync(folder);
  const mirror = await testbed.startServer(advertisement());
  const [system = "", project = "", name = ""] = target.split("/");
  const feed = join(folder, "feed");
  const npx = ["--yes", "--offline", `./${tarball}`];
  const names = ["--system", system, "--project", project, "--target", name];
  const { stderr } = await execute(
    "npx",
    [...npx, "init", feed, "--yes", "--allow-private", ...names, "--mirror", `${mirror.url}/a`],
    { cwd: folder },
  );
  expect(stderr).toContain(`npx --yes ./${tarball} run `);
  expect(existsSync(join(feed, tarball))).toBe(true);
  const text = (path: string): string => readFileSync(join(feed, path), "utf8");
  for (const name of ["refresh.yml", "validate.yml"])
    expect(text(`.github/workflows/${name}`)).toContain(`MIRRORFEED: "./${tarball}"`);

  const mirrors = text("mirrors.json");
  const github = await createGitHub(mirrors);
  cpSync(feed, join(github.folder, "author"), { recursive: true });
  await commitMirrors(github, `${mirrors}\n`);
  const refreshed = await runWorkflow(text(".github/workflows/refresh.yml"), { github, runId: "100" });
  expectResults(refreshed, { refresh: "success", deploy: "success", notify: "skipped" });
  expect(deployedStatuses(github, target)).toEqual({ 1: 1 });
  expect(summaryOf(refreshed)).toContain("## 1 of 1 nodes online, 0 offline");
  // npx takes a second each time, and has run the same package above.
  const installed = closeAfterTest(await openShellCommand(folder));
  const replace = (script: string): string =>
    script.replaceAll('npx --yes "$MIRRORFEED"', `"${installed.path}"`);
  const checked = await runWorkflow(text(".github/workflows/validate.yml"), {
    github,
    runId: "101",
    replace,
  });
  expectResults(checked, { validate: "success" });
  const [validated, probed] = checked["validate"]?.steps.slice(-2) ?? [];
  expect(validated?.output).toContain("mirrors.json is right");
  expect(probed?.summary).toContain("## No mirror is new");
});
