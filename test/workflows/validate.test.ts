import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { advertisement } from "../../src/testbed/advertisement.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { createGitHub, withoutInstallation } from "../support/github.ts";
import { mirrorsOf } from "../support/mirrors.ts";
import { type JobOutcome, runWorkflow } from "../support/step-runner.ts";
import { readWorkflow } from "../support/workflow.ts";

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(async () => {
  await testbed.close();
});

async function validate(mirrors: string): Promise<JobOutcome | undefined> {
  const github = await createGitHub(mirrors);
  const jobs = await runWorkflow(readWorkflow("validate.yml"), {
    github,
    runId: "300",
    replace: withoutInstallation,
  });
  return jobs["validate"];
}

const annotation = {
  name: "error",
  properties: "file=mirrors.json,title=mirrors.json is not valid",
  data: expect.any(String),
};

describe("validate.yml", () => {
  test("a good mirrors.json is green, and no mirror is asked", async () => {
    const mirror = await testbed.startServer(advertisement());
    const outcome = await validate(mirrorsOf([{ url: `${mirror.url}/a` }]));
    expect(outcome).toMatchObject({ result: "success" });
    expect(outcome?.steps.at(-1)).toMatchObject({
      output: expect.stringContaining("mirrors.json is right: systems 1, projects 1, targets 1, nodes 1."),
      commands: [],
    });
    expect(mirror.connections).toBe(0);
  });

  test("an invalid one fails, with every problem in the log and one annotation at the file", async () => {
    const outcome = await validate(mirrorsOf([{ url: "gopher://a.example.org/x" }, { url: "x" }]));
    expect(outcome).toMatchObject({ result: "failure" });
    expect(outcome?.steps.at(-1)).toMatchObject({
      output: expect.stringContaining("mirrors.json has 2 problems:"),
      commands: [annotation],
    });
  });

  test.each([
    ["a key", { "##[error]owned": 1, "::error::owned": 1, systems: [] }],
    ["a name", { systems: [{ system: "##[add-matcher]/etc/passwd", projects: [] }] }],
    ["lines", { systems: [{ system: "a\n::error::owned\r::error::owned", projects: [] }] }],
  ])("%s with a command to the runner in it stays a text", async (_, mirrors) => {
    const outcome = await validate(JSON.stringify(mirrors));
    expect(outcome).toMatchObject({ result: "failure" });
    expect(outcome?.steps.at(-1)?.commands).toEqual([annotation]);
  });
});
