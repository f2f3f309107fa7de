import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { branchDelivery, type Delivery } from "../../../src/features/hosts/host.ts";
import { workflowFiles } from "../../../src/features/init/files.ts";
import { parseWorkflow, readWorkflow } from "../../support/workflow.ts";

const pin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;

async function written(delivery: Delivery, allowPrivate: boolean, branch?: string) {
  const files = await workflowFiles({ interval: "6h", allowPrivate }, { pin }, delivery, branch);
  return new Map(files.map(({ path, content }) => [basename(path), String(content)]));
}

const forPages = await written(githubPages.delivery, false);
const forBranch = await written(branchDelivery, true, "trunk");

/** Returns the lines of a written file that this repository's file lacks. */
function changedLines(name: string, files: ReadonlyMap<string, string>): string[] {
  const lines = new Set(readWorkflow(name).split("\n"));
  return (files.get(name) ?? "").split("\n").filter((line) => !lines.has(line));
}

describe("a workflow that init writes", () => {
  test("is the one of this repository, with another schedule, program and host", () => {
    const program = `  MIRRORFEED: "npx --yes ${pin}"`;
    const cron = '    - cron: "7 */6 * * *"';
    const install = "        run: $MIRRORFEED --version";
    const toPages = [cron, program, '  PUBLISH: "pages"', install, install, install];
    expect(changedLines("refresh.yml", forPages)).toEqual(toPages);
    const branch = '    branches: ["trunk"]';
    const toBranch = [cron, branch, program, '  PUBLISH: "branch"', install, install, install];
    expect(changedLines("refresh.yml", forBranch)).toEqual(toBranch);
    expect(changedLines("validate.yml", forPages)).toEqual([program, install]);
    const options = '  PROBE_OPTIONS: "--allow-private"';
    expect(changedLines("validate.yml", forBranch)).toEqual([program, options, install]);
    expect(forPages.get("summary.js")).toBe(readWorkflow("summary.js"));
  });

  test("calls no other program of npm, and installs it before any step has a token", () => {
    for (const name of ["refresh.yml", "validate.yml"]) {
      for (const [id, { steps }] of Object.entries(parseWorkflow(forPages.get(name) ?? "").jobs)) {
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
});
