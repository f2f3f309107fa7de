import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { put } from "./folder.ts";
import { commitAll, createRepository, type Repository } from "./github.ts";
import { type Job, startJob } from "./job.ts";
import { parseWorkflow, readWorkflow } from "./workflow.ts";

export const releaseWorkflow = parseWorkflow(readWorkflow("release.yml"));

const sources = [
  ...["package.json", "package-lock.json", "esbuild.config.js", "tsconfig.json", "src", "public"],
  ...["LICENSE", "README.md"],
];

/** Creates a repository with the program's source and this changelog. */
export async function createSource(changelog: string): Promise<Repository> {
  const repository = await createRepository("{}");
  const author = join(repository.folder, "author");
  for (const path of sources) cpSync(path, join(author, path), { recursive: true });
  put(author, { "CHANGELOG.md": changelog });
  await commitAll(repository, "Release");
  return repository;
}

/** Runs what the job `publish` does for a tag before `npm publish`, which builds dist. */
export async function readyToPublish(repository: Repository, tag: string): Promise<Job> {
  const job = await startJob(repository, releaseWorkflow, "publish", {
    values: { "github.ref_name": tag },
    variables: { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "owner/repository" },
  });
  // A link to node_modules replaces npm ci, which takes longer.
  rmSync(join(job.workspace, "dist"));
  symlinkSync(resolve("node_modules"), join(job.workspace, "node_modules"));
  for (const name of ["Check the versions", "Name this repository in the package"]) {
    const { result, output } = await job.run(name);
    expect(result, output).toBe("success");
  }
  return job;
}
