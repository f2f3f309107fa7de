import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { product } from "../../src/core/base/files/package.ts";
import { freePort } from "../support/loopback.ts";
import { put } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commitAll, createRepository, type Repository } from "../support/github.ts";
import { type Job, startJob } from "../support/job.ts";
import { describeWith } from "../support/requirement.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const execute = promisify(execFile);
const verdaccio = resolve(".ci/engines/node_modules/verdaccio/bin/verdaccio");
const workflow = parseWorkflow(readWorkflow("release.yml"));
const tag = `v${product.version}`;
const notes = "- The first line of the notes.";

const sources = [
  ...["package.json", "package-lock.json", "esbuild.config.js", "tsconfig.json", "src", "public"],
  ...["LICENSE", "README.md"],
];

let repository: Repository;
beforeAll(async () => {
  repository = await createRepository("{}");
  const author = join(repository.folder, "author");
  for (const path of sources) cpSync(path, join(author, path), { recursive: true });
  put(author, {
    "CHANGELOG.md": `# Changelog\n\n## [Unreleased]\n\n## [${product.version}] - 2026-01-01\n\n${notes}\n\n## [0.0.1] - 2025-01-01\n\n- Old.\n`,
  });
  await commitAll(repository, "Release");
});

function start(id: string, refName: string, variables: Readonly<Record<string, string>> = {}): Promise<Job> {
  return startJob(repository, workflow, id, { values: { "github.ref_name": refName }, variables });
}

async function readyToPublish(): Promise<Job> {
  const variables = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "owner/repository" };
  const job = await start("publish", tag, variables);
  // A link to node_modules replaces npm ci, which takes longer. `npm publish` builds dist.
  rmSync(join(job.workspace, "dist"));
  symlinkSync(resolve("node_modules"), join(job.workspace, "node_modules"));
  for (const name of ["Check the versions", "Name this repository in the package"]) {
    const { result, output } = await job.run(name);
    expect(result, output).toBe("success");
  }
  return job;
}

const bom = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});

test("the package names the repository that publishes it, after the tests and with its provenance", async () => {
  const { workspace } = await readyToPublish();
  const named: unknown = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8"));
  // The npm registry refuses a package if its `repository` is not the one that the provenance names.
  expect(named).toMatchObject({ repository: { url: "git+https://github.com/owner/repository.git" } });
  const { publish, release } = workflow.jobs;
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
  await expect(
    execute(execPath, [script, "v9.9.9"], { cwd: join(repository.folder, "author") }),
  ).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('"## [9.9.9]" is missing or empty') });
});

describeWith("verdaccio, see .ci/install-engines", existsSync(verdaccio), "a registry", () => {
  let registry: { readonly address: string; readonly token: string; readonly close: () => Promise<void> };
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.close());

  test("gets what npx installs, and the journey passes from it", { timeout: 240_000 }, async () => {
    const { address, token } = registry;
    const { workspace, temporary } = await readyToPublish();
    // The test publishes without provenance, which needs an identity from GitHub.
    const to = [`--registry=http://${address}/`, `--//${address}/:_authToken=${token}`];
    const cache = join(temporary, "cache");
    await execute("npm", ["publish", "--access", "public", ...to, "--cache", cache], { cwd: workspace });

    const folder = temporaryFolder();
    const environment = { ...env, npm_config_registry: `http://${address}/`, npm_config_cache: folder };
    const options = { cwd: folder, env: environment };
    const npx = ["--yes", `mirrorfeed@${product.version}`];
    const { stdout } = await execute("npx", [...npx, "--version"], options);
    expect(stdout.trim()).toBe(product.version);
    const [installed = ""] = readdirSync(join(folder, "_npx"));
    const dist = join(folder, "_npx", installed, "node_modules/mirrorfeed/dist");
    expect(readFileSync(join(dist, "released"), "utf8").trim()).toBe(product.version);
    await execute("npx", ["vitest", "run", "test/journeys/journey.test.ts"], {
      env: { ...env, MIRRORFEED_DIST: dist },
    });
  });
});

const session = z.object({ token: z.string() });

/** Starts a registry with one user and no upstream registry. */
async function startRegistry() {
  const folder = temporaryFolder();
  const address = `127.0.0.1:${await freePort()}`;
  put(folder, {
    "config.yaml": `storage: ./storage
auth: { htpasswd: { file: ./users, max_users: 1 } }
packages: { "**": { access: $all, publish: $authenticated } }
log: { type: stdout, format: json, level: error }
`,
  });
  const child = spawn(execPath, [verdaccio, "--config", "config.yaml", "--listen", address], {
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  while (!(await isUp(address))) await Promise.race([sleep(100), ended.then(failed)]);
  const answer = await fetch(`http://${address}/-/user/org.couchdb.user:author`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "author", password: "not-a-secret" }),
  });
  const { token } = session.parse(await answer.json());
  return {
    address,
    token,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

function failed(): never {
  throw new Error("The registry ended.");
}

async function isUp(address: string): Promise<boolean> {
  return fetch(`http://${address}/-/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
}
