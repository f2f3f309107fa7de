import { execFile } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { product } from "../../../src/core/base/files/package.ts";
import { advertisement } from "../../support/advertisement.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { commitMirrors, createRepository, statusesIn } from "../../support/github.ts";
import { target } from "../../support/one-target.ts";
import { refresh, startJob } from "../../support/job.ts";
import { parseWorkflow } from "../../support/workflow.ts";

const execute = promisify(execFile);

// npx runs the packed package in an empty folder, and never asks a registry.
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
    expect(text(`.github/workflows/${name}`)).toContain(`MIRRORFEED: "npx --yes ./${tarball}"`);

  const mirrors = text("mirrors.json");
  const repository = await createRepository(mirrors);
  cpSync(feed, join(repository.folder, "author"), { recursive: true });
  await commitMirrors(repository, `${mirrors}\n`);
  const workflow = parseWorkflow(text(".github/workflows/refresh.yml"));
  const refreshed = await refresh(repository, workflow, { runId: "100" });
  expect(refreshed, refreshed.output).toMatchObject({ result: "success", outputs: { attempt: "1" } });
  expect(statusesIn(refreshed.site, target)).toEqual({ 1: 1 });
  expect(refreshed.summary).toContain("## 1 mirror: 1 online\n");
  const validating = parseWorkflow(text(".github/workflows/validate.yml"));
  const job = await startJob(repository, validating, "validate");
  expect((await job.run("Install mirrorfeed")).output.trim()).toBe(product.version);
  expect((await job.run("Validate")).output).toContain("mirrors.json is valid");
  expect((await job.run("Probe the new mirrors")).summary).toContain("## No mirror is new");
});
