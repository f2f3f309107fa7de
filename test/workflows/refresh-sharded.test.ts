import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { testbed } from "../support/start-testbed.ts";
import { advertisement } from "../support/advertisement.ts";
import { branchesOf, createRepository, type Repository, stateBranch, statusesIn } from "../support/github.ts";
import { startJob } from "../support/job.ts";
import { mirrorsOf, target } from "../support/one-target.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const workflow = parseWorkflow(readWorkflow("refresh-sharded.yml"));
/** Enough mirrors that each of three shards has some. The last one is offline. */
const size = 9;
const online = Object.fromEntries(Array.from({ length: size }, (_, index) => [index + 1, 1]));
const shards = ["github-1", "github-2"].flatMap((vantage) =>
  ["1", "2", "3"].map((shard) => [vantage, shard]),
);

let repository: Repository;
let results: string;
beforeEach(async () => {
  const good = await testbed.startServer(advertisement());
  const bad = await testbed.startServer(misbehaviours.notFound());
  const nodes = Array.from({ length: size - 1 }, (_, index) => ({ url: `${good.url}/${index}` }));
  repository = await createRepository(mirrorsOf([...nodes, { url: `${bad.url}/a`, name: "##[error]owned" }]));
  results = join(repository.folder, "results");
  mkdirSync(results);
});

/** Probes some shards concurrently, and keeps their results as artifacts. */
function probe(some: readonly (readonly string[])[]) {
  const outcomes = some.map(async ([vantage = "", shard = ""]) => {
    const job = await startJob(repository, workflow, "probe", {
      values: { "matrix.vantage.name": vantage, "matrix.shard": shard },
      variables: { GITHUB_RUN_ID: "200" },
    });
    const outcome = await job.run("Probe");
    const file = `results-${vantage}-${shard}.json`;
    cpSync(join(job.temporary, file), join(results, file));
    return outcome;
  });
  return Promise.all(outcomes);
}

async function build() {
  const job = await startJob(repository, workflow, "build");
  cpSync(results, join(job.temporary, "results"), { recursive: true });
  const outcome = await job.run("Decide, save the state, write the site");
  const { summary } = await job.run("Summarize what changed");
  return { ...outcome, summary, site: join(job.workspace, "_site") };
}

describe("refresh-sharded.yml", () => {
  test("merges three shards from each of two vantages into one run", async () => {
    const probed = await probe(shards);
    expect(probed.map(({ result, commands }) => [result, commands])).toEqual(
      shards.map(() => ["success", []]),
    );
    expect(probed.map(({ output }) => output).join("")).toContain(String.raw`#\u0023[error]owned`);
    const built = await build();
    expect(built, built.output).toMatchObject({ result: "success", commands: [] });
    expect(built.output).not.toContain("is missing");
    expect(statusesIn(built.site, target)).toEqual({ ...online, [size]: 0 });
    const { state, ...branch } = await stateBranch(repository);
    expect(branch).toMatchObject({ commits: 1, runs: ["200"] });
    expect(Object.keys(state.vantages)).toEqual(["github-1", "github-2"]);
  });

  test("builds without shards that failed, and calls no mirror offline for it", async () => {
    const failed = ["github-1 1", "github-1 2", "github-2 2"];
    const isGood = (shard: readonly string[]): boolean => !failed.includes(shard.join(" "));
    await probe(shards.filter(isGood));
    const { result, output, site, summary } = await build();
    expect(result, output).toBe("success");
    expect(output).toContain("Warning: shards 1, 2 of the location github-1 are missing");
    expect(output).toContain("Warning: shard 2 of the location github-2 is missing");
    expect(summary).toContain("Shards 1, 2 of github&#45;1 are missing, so their mirrors were not observed");
    expect(summary).toContain("Shard 2 of github&#45;2 is missing, so its mirrors were not observed");
    expect({ ...statusesIn(site, target), [size]: 1 }).toEqual(online);

    // Runs the failed shards again, as "Re-run failed jobs" on GitHub does. They still belong to the same run, which counts
    // once.
    const { state } = await stateBranch(repository);
    await probe(shards.filter((shard) => !isGood(shard)));
    expect(await build()).toMatchObject({ result: "success" });
    expect((await stateBranch(repository)).state).toEqual(state);
  });

  test("without any result is a red run that saves and publishes nothing", async () => {
    const { result, outputs, site } = await build();
    expect({ result, outputs }).toEqual({ result: "failure", outputs: {} });
    expect(await branchesOf(repository)).toEqual(["main"]);
    expect(existsSync(site)).toBe(false);
  });

  test("builds whatever shards failed, from the artifacts of the others", () => {
    const { probe: probing, build: building, deploy } = workflow.jobs;
    expect(probing).toMatchObject({
      "continue-on-error": true,
      strategy: { "fail-fast": false, matrix: { shard: [1, 2, 3] } },
    });
    const name = "results-${{ matrix.vantage.name }}-${{ matrix.shard }}";
    expect(probing?.steps.at(-1)?.with).toMatchObject({ name, path: `\${{ runner.temp }}/${name}.json` });
    expect(building).toMatchObject({ needs: "probe", if: "${{ !cancelled() }}" });
    expect(building?.steps.find(({ uses }) => uses?.includes("download-artifact"))?.with).toEqual({
      ...{ pattern: "results-*", path: "${{ runner.temp }}/results", "merge-multiple": "true" },
    });
    expect(deploy).toMatchObject({
      needs: ["build", "sign"],
      if: expect.stringContaining("outputs.artifact != ''"),
    });
  });

  test("notifies as refresh.yml does", () => {
    const own = JSON.stringify(workflow.jobs["notify"]).replaceAll("needs.build.", "needs.refresh.");
    const plain: unknown = JSON.parse(own.replace('"needs":"build"', '"needs":"refresh"'));
    expect(plain).toEqual(parseWorkflow(readWorkflow("refresh.yml")).jobs["notify"]);
  });
});
