import { beforeAll, describe, expect, test } from "vitest";
import type { GitHub } from "../support/actions.ts";
import { holds, interpolate, type Scope } from "./expression.ts";
import { readCommands } from "./log-command.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function scopeOf(isGood: boolean): Scope {
  return {
    contexts: { steps: { run: { outputs: { code: "3", empty: "" } } }, matrix: { node: "20" } },
    functions: { success: () => isGood, failure: () => !isGood, always: () => true, cancelled: () => false },
  };
}

describe("an expression", () => {
  test.each([
    ["steps.run.outputs.code == '3'", true, false],
    ["steps.run.outputs.code != '3'", false, false],
    ["steps.run.outputs.empty", false, false],
    ["steps.missing.outputs.code != ''", false, false],
    ["${{ !cancelled() && matrix.node == '20' }}", true, true],
    ["failure() || matrix.node == 'it''s'", false, true],
    ["always()", true, true],
    ["!(success() && failure())", true, true],
  ])("%s holds after success: %s, after failure: %s", (condition, afterSuccess, afterFailure) => {
    expect(holds(condition, scopeOf(true))).toBe(afterSuccess);
    expect(holds(condition, scopeOf(false))).toBe(afterFailure);
  });

  test("in a text is replaced by its value", () => {
    expect(interpolate("Node ${{ matrix.node }}${{steps.missing}}!", scopeOf(true))).toBe("Node 20!");
  });

  test.each(["missing.x == ''", "fromJSON('1')", "1 < 2", "matrix.node == ", "(always()"])(
    "%s is refused",
    (source) => {
      expect(() => interpolate(`\${{ ${source} }}`, scopeOf(true))).toThrow();
    },
  );
});

test("commands are found where the runner finds them", () => {
  const output = [
    "::warning title=a::b",
    "\t ::error file=x,line=1::c",
    "text ::error::no",
    "text ##[error]d",
    "::unknown::no",
    "::stop-commands::t0",
    "::error::no",
    "##[error]no",
    "::t0::",
    "::notice::e",
  ].join("\n");
  expect(readCommands(output).map(({ name, data }) => `${name} ${data}`)).toEqual([
    "warning b",
    "error c",
    "error d",
    "notice e",
  ]);
  expect(() => readCommands("::stop-commands::t0")).toThrow("does not resume");
});

describe("the step runner", () => {
  let github: GitHub;
  beforeAll(() => {
    const folder = temporaryFolder("mirrorfeed-runner-");
    github = { folder, origin: folder, token: "secret", artifacts: [], deployments: [] };
  });

  function runJobs(jobs: string): Promise<Record<string, JobOutcome>> {
    const head = "name: a\non: { push: }\nconcurrency: { group: a, cancel-in-progress: false }\n";
    return runWorkflow(`${head}defaults: { run: { shell: bash } }\njobs:\n${jobs}`, { github, runId: "7" });
  }

  const job = "{ name: a, runs-on: x, ";

  test("runs a job for every combination, hands outputs on, and keeps the order of needs", async () => {
    const { one, two } = await runJobs(`
  one: ${job} strategy: { fail-fast: false, matrix: { n: [1, 2], v: [{ name: a }, { name: b }] } },
    outputs: { last: "\${{ steps.s.outputs.last }}" },
    steps: [{ id: s, env: { N: "\${{ matrix.n }}\${{ matrix.v.name }}" }, run: 'echo "$N"; echo last=x >> "$GITHUB_OUTPUT"' }] }
  two: ${job} needs: one, if: needs.one.outputs.last == 'x',
    steps: [{ run: 'echo "# $GITHUB_RUN_ID" >> "$GITHUB_STEP_SUMMARY"' }] }`);
    expect(one?.steps.map(({ output }) => output)).toEqual(["1a\n", "1b\n", "2a\n", "2b\n"]);
    expect(two?.steps).toMatchObject([{ result: "success", summary: "# 7\n" }]);
  });

  test("after a failure runs only what asks for it, and skips the jobs that need it", async () => {
    const jobs = await runJobs(`
  one: ${job} steps: [{ run: false | true }, { run: echo no }, { if: failure(), run: echo yes }] }
  two: ${job} needs: one, steps: [{ run: echo no }] }
  three: ${job} needs: two, if: always(), steps: [{ run: echo yes }] }
  four: ${job} needs: three, steps: [{ run: echo no }] }
  five: ${job} continue-on-error: true, steps: [{ run: exit 1 }] }
  six: ${job} needs: five, steps: [{ run: echo yes }] }`);
    expect(jobs["one"]?.steps.map(({ result }) => result)).toEqual(["failure", "skipped", "success"]);
    expect(Object.values(jobs).map(({ result }) => result)).toEqual([
      "failure",
      "skipped",
      "success",
      "skipped",
      "success",
      "success",
    ]);
  });

  test("refuses what it does not understand", async () => {
    await expect(runJobs(`  one: ${job} container: x, steps: [] }`)).rejects.toThrow("container");
    await expect(runJobs(`  one: ${job} steps: [{ uses: actions/cache@v4 }] }`)).rejects.toThrow(
      "not known here",
    );
  });
});
