import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { holdRefusedPort } from "../../src/testbed/refused.ts";
import { startServer } from "../../src/testbed/server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { commitMirrors, createGitHub, withoutInstallation } from "../support/github.ts";
import { mirrorsOf } from "../support/mirrors.ts";
import { type JobOutcome, runWorkflow, type StepOutcome } from "../support/step-runner.ts";
import { readWorkflow } from "../support/workflow.ts";

let refused: Awaited<ReturnType<typeof holdRefusedPort>>;
beforeAll(async () => {
  refused = await holdRefusedPort();
});
afterAll(async () => {
  await refused.close();
});

const steady = mirrorsOf([{ url: "https://git.example.org/a" }]);

/** Runs the workflow for a pull request that changes mirrors.json. */
async function validate(mirrors: string, before = steady, more = ""): Promise<JobOutcome | undefined> {
  const github = await createGitHub(before);
  await commitMirrors(github, mirrors);
  const jobs = await runWorkflow(readWorkflow("validate.yml"), {
    github,
    runId: "300",
    replace: (script) => withoutInstallation(script).replace("--probe-new HEAD^1", `$&${more}`),
  });
  return jobs["validate"];
}

function stepOf(outcome: JobOutcome | undefined, name: string): StepOutcome | undefined {
  return outcome?.steps.find((step) => step.name === name);
}

const annotation = {
  name: "error",
  properties: "file=mirrors.json,title=mirrors.json is not valid",
  data: expect.any(String),
};

describe("validate.yml", () => {
  test("a good mirrors.json is green, and no mirror is asked", async () => {
    const mirror = closeAfterTest(await startServer(advertisement()));
    const mirrors = mirrorsOf([{ url: `${mirror.url}/a` }]);
    const outcome = await validate(`${mirrors}\n`, mirrors);
    expect(outcome).toMatchObject({ result: "success" });
    expect(stepOf(outcome, "Validate")).toMatchObject({
      output: expect.stringContaining("mirrors.json is right: systems 1, projects 1, targets 1, nodes 1."),
      commands: [],
    });
    expect(stepOf(outcome, "Probe the new mirrors")?.summary).toBe("## No mirror is new\n\n\n");
    expect(mirror.connections).toBe(0);
  });

  test("an invalid one fails, with every problem in the log and one annotation at the file", async () => {
    const outcome = await validate(mirrorsOf([{ url: "gopher://a.example.org/x" }, { url: "x" }]));
    expect(outcome).toMatchObject({ result: "failure" });
    expect(stepOf(outcome, "Validate")).toMatchObject({
      output: expect.stringContaining("mirrors.json has 2 problems:"),
      commands: [annotation],
    });
    expect(stepOf(outcome, "Probe the new mirrors")).toMatchObject({ result: "skipped" });
  });

  test.each([
    ["a key", { "##[error]owned": 1, "::error::owned": 1, systems: [] }],
    ["a name", { systems: [{ system: "##[add-matcher]/etc/passwd", projects: [] }] }],
    ["lines", { systems: [{ system: "a\n::error::owned\r::error::owned", projects: [] }] }],
  ])("%s with a command to the runner in it stays a text", async (_, mirrors) => {
    const outcome = await validate(JSON.stringify(mirrors));
    expect(outcome).toMatchObject({ result: "failure" });
    expect(stepOf(outcome, "Validate")?.commands).toEqual([annotation]);
  });

  test("a new mirror is probed, and those that were there are not", async () => {
    const [old, added] = [
      closeAfterTest(await startServer(advertisement())),
      closeAfterTest(await startServer(advertisement())),
    ];
    const [first, second] = [{ url: `${old.url}/a` }, { url: `${added.url}/b` }];
    const outcome = await validate(mirrorsOf([first, second]), mirrorsOf([first]), " --allow-private");
    expect(outcome).toMatchObject({ result: "success" });
    const { summary, commands } = stepOf(outcome, "Probe the new mirrors") ?? {};
    expect(commands).toEqual([]);
    expect(summary).toMatch(
      /^## 1 of 1 new mirrors reachable\n\n\| Target \| Node \|.*\| ok \| 200 \| \d+ ms \|\n/s,
    );
    expect(old.connections).toBe(0);
    expect(added.connections).toBeGreaterThan(0);
  });

  test.each([
    ["is private, whatever the file allows", "", "blocked&#95;address"],
    ["refuses connections", " --allow-private", "refused"],
  ])("a new mirror that %s fails, with its code in the summary", async (_, more, code) => {
    const name = "a | b ::error::owned <script>";
    const mirrors = mirrorsOf([{ url: `${refused.url}/<x>|a`.replace("<x>", "%3Cx%3E"), name }]);
    const outcome = await validate(mirrors, steady, more);
    expect(outcome).toMatchObject({ result: "failure" });
    const { summary = "", commands } = stepOf(outcome, "Probe the new mirrors") ?? {};
    expect(commands).toEqual([
      { name: "error", properties: expect.stringContaining("not reachable"), data: expect.any(String) },
    ]);
    expect(summary).toMatch(/^## 0 of 1 new mirrors reachable\n/);
    expect(summary).toContain(`| ${code} |`);
    expect(summary.split("\n")[4]?.split(" | ")).toHaveLength(6);
  });

  test("more new mirrors than are probed fail, and the log says why", async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ url: `http://127.0.0.1:1/${index}` }));
    const outcome = await validate(mirrorsOf(many));
    expect(outcome).toMatchObject({ result: "failure" });
    const { output, summary, commands } = stepOf(outcome, "Probe the new mirrors") ?? {};
    expect(commands).toMatchObject([{ properties: expect.stringContaining("not probed") }]);
    expect(output).toContain("at most 1,000 are probed at once");
    expect(summary).toBe("");
  });

  test("a prober that is offline fails, and says that nothing is known", async () => {
    const control = ["https://127.0.0.1:1/"];
    const base = JSON.stringify({ ...(JSON.parse(steady) as object), probe: { controls: control } });
    const outcome = await validate(mirrorsOf([{ url: `${refused.url}/a` }]), base, " --allow-private");
    expect(outcome).toMatchObject({ result: "failure" });
    const { summary, commands } = stepOf(outcome, "Probe the new mirrors") ?? {};
    expect(commands).toMatchObject([{ properties: "title=The prober is offline" }]);
    expect(summary).toMatch(/^## The prober is offline/);
  });
});
