import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { product } from "../../src/core/base/files/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Repository } from "../support/github.ts";
import { type Job, startJob } from "../support/job.ts";
import { createSource, readyToPublish, releaseWorkflow } from "../support/release.ts";

const execute = promisify(execFile);
const tag = `v${product.version}`;
const notes = "- The first line of the notes.";

let repository: Repository;
beforeAll(async () => {
  const latest = `## [${product.version}] - 2026-01-01\n\n${notes}`;
  const old = "## [0.0.1] - 2025-01-01\n\n- Old.";
  repository = await createSource(`# Changelog\n\n## [Unreleased]\n\n${latest}\n\n${old}\n`);
});

function start(id: string, refName: string, variables: Readonly<Record<string, string>> = {}): Promise<Job> {
  return startJob(repository, releaseWorkflow, id, { values: { "github.ref_name": refName }, variables });
}

const bom = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});

test("the package names the repository that publishes it, after the tests and with its provenance", async () => {
  const { workspace } = await readyToPublish(repository, tag);
  const named: unknown = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8"));
  // The npm registry refuses a package if its `repository` is not the one that the provenance names.
  expect(named).toMatchObject({ repository: { url: "git+https://github.com/owner/repository.git" } });
  const { publish, release } = releaseWorkflow.jobs;
  expect(publish).toMatchObject({ needs: "test", permissions: { "id-token": "write" } });
  expect(publish?.steps.at(-1)?.run).toBe("npm publish --provenance --access public");
  expect(release).toMatchObject({ needs: "publish" });
});

test("a release has the notes of its version and a list of what is in the package", async () => {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "gh"), `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
  const job = await start("release", tag, { PATH: `${bin}${delimiter}${env["PATH"] ?? ""}` });
  const described = await job.run("Describe the release");
  expect(described.result, described.output).toBe("success");
  const { output } = await job.run("Create the release");
  const files = ["notes.md", "mirrorfeed.cdx.json"].map((name) => join(job.temporary, name));
  const [notesFile = "", bomFile = ""] = files;
  expect(output.trim().split("\n")).toEqual([
    ...["release", "create", tag, "--verify-tag", "--title", tag, "--notes-file"],
    ...files,
  ]);
  expect(readFileSync(notesFile, "utf8").trim()).toBe(notes);
  const { components } = bom.parse(JSON.parse(readFileSync(bomFile, "utf8")));
  const names = new Set(components.map(({ name }) => name));
  for (const name of ["undici", "zod", "commander", "preact"]) expect(names).toContain(name);
});

test("a tag of another version, or without notes, ends before anything is published", async () => {
  const job = await start("publish", "v9.9.9");
  expect(await job.run("Check the versions")).toMatchObject({ result: "failure" });

  const script = resolve(".github/workflows/release-notes.js");
  const failed = execute(execPath, [script, "v9.9.9"], { cwd: join(repository.folder, "author") });
  const stderr: unknown = expect.stringContaining('"## [9.9.9]" is missing or empty');
  await expect(failed).rejects.toMatchObject({ code: 1, stderr });
});
