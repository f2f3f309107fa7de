import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { branchDelivery, type Delivery } from "../../../src/features/hosts/host.ts";
import { workflowFiles } from "../../../src/features/init/files.ts";
import { parseWorkflow, readWorkflow } from "../../support/workflow.ts";

const pin = `git+https://github.com/owner/mirrorfeed.git#${"0123456789".repeat(4)}`;

async function written(
  delivery: Delivery,
  allowPrivate: boolean,
  branch?: string,
): Promise<Readonly<Record<string, string>>> {
  const files = await workflowFiles({ interval: "6h", allowPrivate }, { pin }, delivery, branch);
  return Object.fromEntries(files.map(({ path, content }) => [basename(path), String(content)]));
}

const forPages = await written(githubPages.delivery, false);
const forBranch = await written(branchDelivery, true, "trunk");

/** Returns the lines of a workflow that are not in this repository's. */
function changedLines(name: string, text = ""): string[] {
  const lines = new Set(readWorkflow(name).split("\n"));
  return text.split("\n").filter((line) => !lines.has(line));
}

describe("a workflow that init writes", () => {
  test("is the one of this repository, with another schedule, program and host", () => {
    const program = `  MIRRORFEED: "npx --yes ${pin}"`;
    const cron = '    - cron: "7 */6 * * *"';
    const install = "        run: $MIRRORFEED --version";
    const installs = [install, install, install];
    expect(changedLines("refresh.yml", forPages["refresh.yml"])).toEqual([
      ...[cron, program, '  PUBLISH: "pages"'],
      ...installs,
    ]);
    expect(changedLines("refresh.yml", forBranch["refresh.yml"])).toEqual([
      ...[cron, '    branches: ["trunk"]', program, '  PUBLISH: "branch"'],
      ...installs,
    ]);
    expect(changedLines("validate.yml", forPages["validate.yml"])).toEqual([program, install]);
    const options = '  PROBE_OPTIONS: "--allow-private"';
    expect(changedLines("validate.yml", forBranch["validate.yml"])).toEqual([program, options, install]);
    expect(changedLines("summary.js", forPages["summary.js"])).toEqual([]);
  });

  test("calls no other program of npm, and installs it before any step has a token", () => {
    for (const name of ["refresh.yml", "validate.yml"]) {
      for (const [id, { steps }] of Object.entries(parseWorkflow(forPages[name] ?? "").jobs)) {
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
