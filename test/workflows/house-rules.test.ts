import { describe, expect, test } from "vitest";
import { brokenRules, houseRules, type RuleName } from "../support/house-rules.ts";
import { parseWorkflow, readWorkflow, workflowFiles } from "../support/workflow.ts";

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

describe("a workflow that breaks a rule is found", () => {
  const sha = /actions\/checkout@[0-9a-f]{40} # v[\d.]+/;
  const script = "run: npm ci";
  const cases: [RuleName, string, string | RegExp, string][] = [
    ["permissions: {} at the top", "refresh.yml", "permissions: {}", "permissions: { contents: read }"],
    ["every job names its permissions", "validate.yml", / +permissions:\n +contents: read\n/, ""],
    ["only the jobs that deploy or push a branch may write", "ci.yml", "contents: read", "contents: write"],
    ["every job has a timeout", "refresh.yml", / +timeout-minutes: 15\n/, ""],
    ["every action is pinned by a commit, with its version beside it", "ci.yml", sha, "actions/checkout@v7"],
    [
      "every action is pinned by a commit, with its version beside it",
      "ci.yml",
      sha,
      `actions/checkout@${"a".repeat(40)}`,
    ],
    ["every checkout forgets its credentials", "ci.yml", "persist-credentials: false", "fetch-depth: 1"],
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
