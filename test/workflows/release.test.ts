import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { product } from "../../src/files/package.ts";
import { freePort } from "../support/loopback.ts";
import type { GitHub } from "../support/actions.ts";
import { put } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commitAll, createGitHub } from "../support/github.ts";
import { expectResults } from "../support/outcome.ts";
import { describeWith } from "../support/requirement.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { readWorkflow } from "../support/workflow.ts";

const execute = promisify(execFile);
const verdaccio = resolve(".ci/engines/node_modules/verdaccio/bin/verdaccio");
const workflow = readWorkflow("release.yml");
const tag = `v${product.version}`;
const notes = "- The first line of the notes.";

/** What a checkout needs to be published. */
const sources = [
  ...["package.json", "package-lock.json", "esbuild.config.js", "tsconfig.json", "src", "public"],
  ...["LICENSE", "README.md"],
];

let github: GitHub;
beforeAll(async () => {
  github = await createGitHub("{}");
  const author = join(github.folder, "author");
  for (const path of sources) cpSync(path, join(author, path), { recursive: true });
  put(author, {
    "CHANGELOG.md": `# Changelog\n\n## Unreleased\n\n## ${product.version} (2026-01-01)\n\n${notes}\n\n## 0.0.1\n\n- Old.\n`,
  });
  await commitAll(github, "Release");
});

/** Runs the workflow for a tag; `publish` stands for the hand-over to npm, which needs GitHub's identity. */
function release(refName: string, publish: string): Promise<Record<string, JobOutcome>> {
  const stand: Readonly<Record<string, string>> = {
    "bash .ci/run": "true",
    "npm ci --ignore-scripts": `ln -s "${resolve("node_modules")}" node_modules`,
    "npm publish --provenance --access public": publish,
  };
  const replace = (script: string): string =>
    script.startsWith("npm pkg set")
      ? `GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=owner/repository; ${script}`
      : script.startsWith("gh release create")
        ? `gh() { printf '%s\\n' "$@"; cat "$RUNNER_TEMP"/notes.md "$RUNNER_TEMP"/mirrorfeed.cdx.json; }\n${script}`
        : (stand[script] ?? script);
  return runWorkflow(workflow, { github, runId: "100", refName, replace });
}

const bom = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});

test("a tag makes a release with the notes of its version and a list of what is in the package", async () => {
  const jobs = await release(tag, "npm pkg get repository.url");
  expectResults(jobs, { test: "success", publish: "success", release: "success" });
  // npm compares it with the provenance.
  expect(jobs["publish"]?.steps.at(-1)?.output).toContain('"git+https://github.com/owner/repository.git"');
  const output = jobs["release"]?.steps.at(-1)?.output ?? "";
  expect(output.split("\n").slice(0, 4)).toEqual(["release", "create", tag, "--verify-tag"]);
  expect(output).toContain(`\n${notes}\n{`);
  expect(output).not.toContain("- Old.");
  const { components } = bom.parse(JSON.parse(output.slice(output.indexOf("\n{"))));
  const names = new Set(components.map(({ name }) => name));
  for (const name of ["undici", "zod", "commander", "preact"]) expect(names).toContain(name);
});

test("a tag of another version, or without notes, publishes nothing", async () => {
  const jobs = await release("v9.9.9", "echo published");
  expectResults(jobs, { test: "success", publish: "failure", release: "skipped" });
  expect(jobs["publish"]?.steps.at(-1)).toMatchObject({ result: "skipped" });

  const script = resolve(".github/workflows/release-notes.js");
  await expect(
    execute(execPath, [script, "v9.9.9"], { cwd: join(github.folder, "author") }),
  ).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('"## 9.9.9" is missing or empty') });
});

describeWith("verdaccio, see .ci/install-engines", existsSync(verdaccio), "a registry", () => {
  let registry: { readonly address: string; readonly token: string; readonly close: () => Promise<void> };
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.close());

  test("gets what npx installs, and the journey passes from it", { timeout: 240_000 }, async () => {
    const { address, token } = registry;
    const to = `--registry http://${address}/ --//${address}/:_authToken=${token} --cache "$RUNNER_TEMP/cache"`;
    const jobs = await release(tag, `npm publish --access public ${to}`);
    expectResults(jobs, { test: "success", publish: "success", release: "success" });

    const folder = temporaryFolder();
    const environment = { ...env, npm_config_registry: `http://${address}/`, npm_config_cache: folder };
    const options = { cwd: folder, env: environment };
    const npx = ["--yes", `mirrorfeed@${product.version}`];
    const { stdout } = await execute("npx", [...npx, "--version"], options);
    expect(stdout.trim()).toBe(product.version);
    const [installed = ""] = readdirSync(join(folder, "_npx"));
    const dist = join(folder, "_npx", installed, "node_modules/mirrorfeed/dist");
    expect(readFileSync(join(dist, "released"), "utf8").trim()).toBe(product.version);
    await execute("npx", ["vitest", "run", "test/journey.test.ts"], {
      env: { ...env, MIRRORFEED_DIST: dist },
    });
  });
});

const session = z.object({ token: z.string() });

/** Starts a registry that knows no other, with one user. */
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
