import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { GitHub } from "../support/actions.ts";
import {
  commitMirrors,
  copyGitHub,
  createGitHub,
  deployedStatuses,
  filesWithToken,
  hasStateBranch,
  stateBranch,
  withoutInstallation,
} from "../support/github.ts";
import { mirrorsOf, target } from "../support/mirrors.ts";
import { commandsOf, expectResults, summaryOf } from "../support/outcome.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { type SwitchedMirror, startSwitchedMirror } from "../support/switched-mirror.ts";
import { readWorkflow } from "../support/workflow.ts";

const hostile = "a | b <img src=x> [c](javascript:d) `e` ::error::f ##[error]g";

let steady: SwitchedMirror;
let failing: SwitchedMirror;
/** A repository before and after its first run, and that run. Each test goes on in a copy of one. */
let created: GitHub;
let started: GitHub;
let first: Record<string, JobOutcome>;
let github: GitHub;

beforeAll(async () => {
  steady = await startSwitchedMirror();
  failing = await startSwitchedMirror();
  created = await createGitHub(
    mirrorsOf([{ url: `${steady.url}/a` }, { url: `${failing.url}/a`, name: hostile }]),
  );
  github = started = copyGitHub(created);
  first = await refresh("100");
});
afterAll(async () => {
  await steady.close();
  await failing.close();
});
beforeEach(() => {
  steady.isDown = false;
  failing.isDown = false;
  github = copyGitHub(started);
});

function refresh(runId: string, attempt = 1): Promise<Record<string, JobOutcome>> {
  const run = { github, runId, attempt, replace: withoutInstallation };
  return runWorkflow(readWorkflow("refresh.yml"), run);
}

describe("refresh.yml", () => {
  test("publishes, remembers on a branch of one commit, and tells what changed", async () => {
    expectResults(first, { refresh: "success", deploy: "success", notify: "skipped" });
    expect(deployedStatuses(github, target)).toEqual({ 1: 1, 2: 1 });
    expect(summaryOf(first)).toContain("## 2 of 2 nodes online, 0 offline\n\nNo status changed.\n");
    expect(await stateBranch(github)).toMatchObject({
      commits: 1,
      files: "state.json",
      state: { runs: [["100.1", expect.any(Number)]] },
    });

    failing.isDown = true;
    const second = await refresh("101");
    expectResults(second, { refresh: "success", deploy: "success", notify: "skipped" });
    expect(deployedStatuses(github, target)).toEqual({ 1: 1, 2: 0 });
    expect(await stateBranch(github)).toMatchObject({
      commits: 1,
      state: {
        runs: [
          ["100.1", expect.any(Number)],
          ["101.1", expect.any(Number)],
        ],
      },
    });

    const summary = summaryOf(second);
    expect(summary).toContain("## 1 of 2 nodes online, 1 offline\n");
    expect(summary).toContain("| Target | Node | Mirror | Now | Code |\n| --- | --: | --- | --- | --- |\n");
    const [row = ""] = summary.split("\n").filter((line) => line.startsWith("| community"));
    const cells = row.split("|").map((cell) => decode(cell.trim()));
    expect(cells).toEqual(["", target, "2", hostile, "offline", "reset", ""]);
    expect(row.replaceAll(/&#\d+;/g, "")).toMatch(/^[A-Za-z0-9 |]*$/);

    expect([...commandsOf(first), ...commandsOf(second)]).toEqual([]);
    expect([...filesWithToken(started), ...filesWithToken(github)]).toEqual([]);
  });

  test("the feeds name the address that GitHub gives the site, and none while Pages is switched off", async () => {
    const feedOf = (): string => readFileSync(join(github.deployments.at(-1) ?? "", "feed.json"), "utf8");
    expectResults(first, { refresh: "success", deploy: "success", notify: "skipped" });
    expect(feedOf()).not.toContain("home_page_url");

    github.pagesUrl = "https://octocat.github.io/Mirror-Status";
    await refresh("101");
    expect(JSON.parse(feedOf())).toMatchObject({
      home_page_url: "https://octocat.github.io/Mirror-Status/",
      feed_url: "https://octocat.github.io/Mirror-Status/feed.json",
    });
  });

  test("a run that saw nothing is a warning: it saves and deploys nothing", async () => {
    const before = await stateBranch(github);
    steady.isDown = true;
    failing.isDown = true;
    const jobs = await refresh("101");
    expectResults(jobs, { refresh: "success", deploy: "skipped", notify: "skipped" });
    expect(jobs["refresh"]?.steps.at(-1)).toMatchObject({ result: "skipped" });
    expect(commandsOf(jobs)).toEqual([
      { name: "warning", properties: "title=The prober is offline", data: expect.stringContaining("void") },
    ]);
    expect(summaryOf(jobs)).toContain("## The feed was left as it was\n");
    expect(await stateBranch(github)).toEqual(before);
    expect(github.deployments).toHaveLength(1);
  });

  test("a first run that saw nothing publishes no accusation", async () => {
    github = copyGitHub(created);
    steady.isDown = true;
    failing.isDown = true;
    expectResults(await refresh("100"), { refresh: "success", deploy: "skipped", notify: "skipped" });
    expect(await hasStateBranch(github)).toBe(false);
    expect(github.deployments).toEqual([]);
  });

  test("a second attempt deploys again, although the artifact of the first is still there", async () => {
    expectResults(await refresh("100", 2), { refresh: "success", deploy: "success", notify: "skipped" });
    expect(github.deployments).toHaveLength(2);
    expect((await stateBranch(github)).state.runs.map(([id]) => id)).toEqual(["100.1", "100.2"]);
  });

  test("a broken mirrors.json is a red run that changes nothing", async () => {
    const before = await stateBranch(github);
    await commitMirrors(github, "{}");
    const jobs = await refresh("101");
    expectResults(jobs, { refresh: "failure", deploy: "skipped", notify: "skipped" });
    expect(await stateBranch(github)).toEqual(before);
    expect(github.deployments).toHaveLength(1);
  });
});

/** What a reader of the summary sees of a cell. */
function decode(cell: string): string {
  return cell.replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)));
}
