import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { parseShard, resolveShard } from "../../../src/app/commands/shard.ts";

const gitlab = { CI_NODE_INDEX: "2", CI_NODE_TOTAL: "3", CI_PIPELINE_ID: "1001" };
const buildkite = {
  BUILDKITE_PARALLEL_JOB: "0",
  BUILDKITE_PARALLEL_JOB_COUNT: "5",
  BUILDKITE_BUILD_ID: "4735ba57-80d0-46e2-8fa0-b28223a86586",
};
const circle = { CIRCLE_NODE_INDEX: "3", CIRCLE_NODE_TOTAL: "4", CIRCLE_PIPELINE_ID: "00af6f1c" };
const kubernetes = { JOB_COMPLETION_INDEX: "2" };

/** The variables that slurmctld sets for one task of an array. */
function slurm(id: number, min: number, max: number, step: number, count: number): Record<string, string> {
  const numbers = Object.entries({ ID: id, MIN: min, MAX: max, STEP: step, COUNT: count });
  const tasks = numbers.map(([name, value]) => [`SLURM_ARRAY_TASK_${name}`, String(value)] as const);
  return { SLURM_ARRAY_JOB_ID: "36", ...Object.fromEntries(tasks) };
}

describe("--shard auto", () => {
  test.each<[string, string, Record<string, string>, string, string]>([
    ["GitLab", "auto", gitlab, "2/3", "1001"],
    ["GitLab without parallel", "auto", { CI_NODE_TOTAL: "1", CI_PIPELINE_ID: "7" }, "1/1", "7"],
    ["GitLab with its count", "auto/3", gitlab, "2/3", "1001"],
    ["Buildkite", "auto", buildkite, "1/5", "4735ba57-80d0-46e2-8fa0-b28223a86586"],
    ["CircleCI", "auto", circle, "4/4", "00af6f1c"],
    ["Slurm --array=0-3", "auto", slurm(3, 0, 3, 1, 4), "4/4", "36"],
    ["Slurm --array=1-3", "auto", slurm(1, 1, 3, 1, 3), "1/3", "36"],
    ["Slurm --array=1-8:3", "auto", slurm(4, 1, 7, 3, 3), "2/3", "36"],
    ["Slurm in GitLab", "auto", { ...slurm(1, 1, 3, 1, 3), CI_NODE_TOTAL: "1" }, "1/3", "36"],
    ["Slurm in GitLab, counted", "auto/3", { ...slurm(1, 1, 3, 1, 3), CI_NODE_TOTAL: "1" }, "1/3", "36"],
    ["two that agree", "auto", { ...gitlab, JOB_COMPLETION_INDEX: "" }, "2/3", "1001"],
    ["one job", "auto", { ...circle, CIRCLE_NODE_INDEX: "0", CIRCLE_NODE_TOTAL: "1" }, "1/1", "00af6f1c"],
  ])("takes the shard and the run of %s", (_, option, environment, shard, run) => {
    expect(resolveShard(parseShard(option), undefined, environment)).toEqual({
      shard: parseShard(shard),
      run,
    });
  });

  test("takes the index of Kubernetes, and the count and the run from the manifest", () => {
    const shard = { index: 3, count: 3 };
    expect(resolveShard(parseShard("auto/3"), "job-1", kubernetes)).toEqual({ shard, run: "job-1" });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "auto",
      {},
      /none of CI_NODE_INDEX, .*, JOB_COMPLETION_INDEX is set; write the shard yourself, such as 2\/3/,
    ],
    ["auto", { CI_NODE_INDEX: "1" }, /CI_NODE_INDEX is set, but CI_NODE_TOTAL is not/],
    ["auto", { CI_NODE_TOTAL: "3" }, /CI_NODE_TOTAL is set, but CI_NODE_INDEX is not/],
    ["auto", { ...gitlab, CI_NODE_INDEX: "two" }, /CI_NODE_INDEX is "two", which is not a number/],
    ["auto", { ...gitlab, CI_NODE_TOTAL: "-3" }, /CI_NODE_TOTAL is "-3", which is not a number/],
    ["auto", { ...gitlab, CI_NODE_INDEX: "0" }, /CI_NODE_INDEX is 0, which is not a valid index for 3 jobs/],
    ["auto", slurm(3, 1, 7, 1, 3), /has gaps \(3 tasks from 1 to 7 in steps of 1\); .* --array=1-3/],
    ["auto", slurm(2, 1, 7, 3, 3), /SLURM_ARRAY_TASK_ID is 2, which is not a valid index for 3 jobs/],
    [
      "auto",
      kubernetes,
      /JOB_COMPLETION_INDEX is set, but Kubernetes does not set the number of jobs; .* auto\/3/,
    ],
    ["auto/3", kubernetes, /Kubernetes sets no run id; .* --run-id/],
    ["auto/4", gitlab, /^--shard auto\/4: CI_NODE_TOTAL is 3; make the two numbers equal/],
    ["auto", { ...gitlab, CI_PIPELINE_ID: "" }, /CI_PIPELINE_ID is not set; .* --run-id/],
    ["auto", { ...gitlab, CI_PIPELINE_ID: "a b" }, /"a b" is not a valid run id/],
    ["auto", { ...gitlab, ...circle }, /CI_NODE_INDEX says 2\/3 and CIRCLE_NODE_INDEX says 4\/4; write/],
  ])("%s refuses %j", (option, environment, message) => {
    const resolve = (): unknown => resolveShard(parseShard(option), undefined, environment);
    expect(resolve).toThrow(InputError);
    expect(resolve).toThrow(message);
  });

  test("leaves a shard and a run as they are given", () => {
    expect(resolveShard(parseShard("1/2"), "7", gitlab)).toEqual({ shard: { index: 1, count: 2 }, run: "7" });
    expect(resolveShard(undefined, undefined, gitlab)).toEqual({ shard: undefined, run: undefined });
    expect(resolveShard(parseShard("auto"), "7", gitlab).run).toBe("7");
  });
});
