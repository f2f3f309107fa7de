import { beforeEach, describe, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { notFound } from "../support/misbehaviours/answers.ts";
import { startServer } from "../../src/testbed/server.ts";
import type { GitHub } from "../support/actions.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import {
  createGitHub,
  deployedStatuses,
  hasStateBranch,
  stateBranch,
  withoutInstallation,
} from "../support/github.ts";
import { mirrorsOf, target } from "../support/mirrors.ts";
import { expectResults } from "../support/outcome.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { readWorkflow } from "../support/workflow.ts";

/** Enough of them that each of three shards has some; the last one is offline. */
const size = 9;

let github: GitHub;
beforeEach(async () => {
  const good = closeAfterTest(await startServer(advertisement()));
  const bad = closeAfterTest(await startServer(notFound()));
  const nodes = Array.from({ length: size - 1 }, (_, index) => ({ url: `${good.url}/${index}` }));
  github = await createGitHub(mirrorsOf([...nodes, { url: `${bad.url}/a`, name: "##[error]owned" }]));
});

/** Runs the workflow; the shards that are named as `vantage/shard` fail. */
function refresh({
  attempt = 1,
  failing = [],
}: {
  attempt?: number;
  failing?: readonly string[];
} = {}): Promise<Record<string, JobOutcome>> {
  const jobs = failing.map((name) => `Probe from ${name.replace("/", ", shard ")} of 3`);
  return runWorkflow(readWorkflow("refresh-sharded.yml"), {
    github,
    runId: "200",
    attempt,
    replace: (script, job) => (jobs.includes(job) ? "exit 1" : withoutInstallation(script)),
  });
}

function outputOf(jobs: Record<string, JobOutcome>, job: string): string {
  return jobs[job]?.steps.map(({ output }) => output).join("") ?? "";
}

const shards = ["github-1", "github-2"].flatMap((vantage) => [1, 2, 3].map((shard) => `${vantage}/${shard}`));
const online = Object.fromEntries(Array.from({ length: size }, (_, index) => [index + 1, 1]));

const allGood = { probe: "success", build: "success", deploy: "success", notify: "skipped" };

describe("refresh-sharded.yml", () => {
  test("merges three shards from each of two vantages into one run", async () => {
    const jobs = await refresh();
    expectResults(jobs, allGood);
    expect(
      github.artifacts
        .map(({ name }) => name)
        .filter((name) => name.startsWith("results-"))
        .sort(),
    ).toEqual(
      ["1", "2"].flatMap((vantage) => [1, 2, 3].map((shard) => `results-github-${vantage}-${shard}`)),
    );
    expect(outputOf(jobs, "build")).not.toContain("is missing");
    expect(outputOf(jobs, "probe")).toContain(String.raw`#\u0023[error]owned`);
    expect(jobs["probe"]?.steps.flatMap(({ commands }) => commands)).toEqual([]);
    expect(deployedStatuses(github, target)).toEqual({ ...online, [size]: 0 });
    const { commits, state } = await stateBranch(github);
    expect({ commits, runs: state.runs.map(([id]) => id) }).toEqual({ commits: 1, runs: ["200"] });
    expect(Object.keys(state.vantages)).toEqual(["github-1", "github-2"]);
  });

  test("builds without a shard that failed, and calls no mirror offline for it", async () => {
    const failed = ["github-1/1", "github-1/2", "github-2/2"];
    const jobs = await refresh({ failing: failed });
    expectResults(jobs, allGood);
    expect(outputOf(jobs, "build")).toContain("Warning: shard 1, 2 of the vantage github-1 is missing");
    expect(outputOf(jobs, "build")).toContain("Warning: shard 2 of the vantage github-2 is missing");
    expect({ ...deployedStatuses(github, target), [size]: 1 }).toEqual(online);

    // The shards that failed are run again, as GitHub offers it: that is still the same run, and it counts once.
    const { state } = await stateBranch(github);
    expectResults(
      await refresh({ attempt: 2, failing: shards.filter((one) => !failed.includes(one)) }),
      allGood,
    );
    expect((await stateBranch(github)).state).toEqual(state);
  });

  test("without any result it is a red run that saves and deploys nothing", async () => {
    expectResults(await refresh({ failing: shards }), { ...allGood, build: "failure", deploy: "skipped" });
    expect(await hasStateBranch(github)).toBe(false);
    expect(github.deployments).toEqual([]);
  });
});
