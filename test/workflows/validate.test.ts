import { describe, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { testbed } from "../support/start-testbed.ts";
import { nowhere } from "../support/loopback.ts";
import { commitMirrors, createRepository } from "../support/github.ts";
import { startJob } from "../support/job.ts";
import { mirrorsOf } from "../support/one-target.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const steady = mirrorsOf([{ url: "https://git.example.org/a" }]);

const strict = parseWorkflow(readWorkflow("validate.yml"));
const ofPrivate = { ...strict, env: { ...strict.env, PROBE_OPTIONS: "--allow-private" } };

/**
 * Runs the workflow's two steps for a pull request that changes mirrors.json. The second step runs only if the first
 * succeeds.
 */
async function validate(mirrors: string, before = steady, workflow = strict) {
  const repository = await createRepository(before);
  await commitMirrors(repository, mirrors);
  const job = await startJob(repository, workflow, "validate");
  const validated = await job.run("Validate");
  const { result } = validated;
  return { validated, probed: result === "success" ? await job.run("Probe the new mirrors") : undefined };
}

const annotation = {
  name: "error",
  properties: "file=mirrors.json,title=mirrors.json is not valid",
  data: expect.any(String),
};

describe("validate.yml", () => {
  test("a good mirrors.json is green, and no mirror is asked", async () => {
    const mirror = await testbed.startServer(advertisement());
    const mirrors = mirrorsOf([{ url: `${mirror.url}/a` }]);
    const { validated, probed } = await validate(`${mirrors}\n`, mirrors);
    expect(validated).toMatchObject({
      result: "success",
      output: expect.stringContaining("mirrors.json is valid: 1 system, 1 project, 1 target, 1 mirror."),
      commands: [],
    });
    expect(probed).toMatchObject({ result: "success", summary: "## No mirror is new\n\n\n" });
    expect(mirror.connections).toBe(0);
  });

  test("an invalid one fails, with every problem in the log and one annotation at the file", async () => {
    const { validated } = await validate(mirrorsOf([{ url: "gopher://a.example.org/x" }, { url: "x" }]));
    expect(validated).toMatchObject({
      result: "failure",
      output: expect.stringContaining("mirrors.json has 2 problems:"),
      commands: [annotation],
    });
  });

  test.each([
    ["a key", { "##[error]owned": 1, "::error::owned": 1, systems: [] }],
    ["a name", { systems: [{ system: "##[add-matcher]/etc/passwd", projects: [] }] }],
    ["lines", { systems: [{ system: "a\n::error::owned\r::error::owned", projects: [] }] }],
  ])("%s with a command to the runner in it stays a text", async (_, mirrors) => {
    const { validated } = await validate(JSON.stringify(mirrors));
    expect(validated).toMatchObject({ result: "failure", commands: [annotation] });
  });

  test("a new mirror is probed, and those that were there are not", async () => {
    const [old, added] = [
      await testbed.startServer(advertisement()),
      await testbed.startServer(advertisement()),
    ];
    const [first, second] = [{ url: `${old.url}/a` }, { url: `${added.url}/b` }];
    const { probed } = await validate(mirrorsOf([first, second]), mirrorsOf([first]), ofPrivate);
    expect(probed).toMatchObject({ result: "success", commands: [] });
    expect(probed?.summary).toMatch(
      /^## 1 of 1 new mirrors online\n\n\| Target \| Node \|.*\| online \| ok \| \d+ ms \|\n/s,
    );
    expect(old.connections).toBe(0);
    expect(added.connections).toBeGreaterThan(0);
  });

  test.each([
    ["is private, whatever the file allows", undefined, "blocked&#95;address"],
    ["refuses connections", ofPrivate, "refused"],
  ])("a new mirror that %s fails, with its code in the summary", async (_, workflow, code) => {
    const name = "a | b ::error::owned <script>";
    const mirrors = mirrorsOf([{ url: `${nowhere}%3Cx%3E|a`, name }]);
    const { probed } = await validate(mirrors, steady, workflow);
    const { result, summary = "", commands } = probed ?? {};
    expect(result).toBe("failure");
    expect(commands).toEqual([
      { name: "error", properties: expect.stringContaining("not reachable"), data: expect.any(String) },
    ]);
    expect(summary).toMatch(/^## 0 of 1 new mirrors online\n/);
    expect(summary).toContain(`| offline | ${code} |`);
    expect(summary.split("\n")[4]?.split(" | ")).toHaveLength(6);
  });

  test("more new mirrors than are probed fail, and the log says why", async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ url: `http://127.0.0.1:1/${index}` }));
    expect((await validate(mirrorsOf(many))).probed).toMatchObject({
      result: "failure",
      commands: [{ properties: expect.stringContaining("not probed") }],
      output: expect.stringContaining("at most 1,000 are probed at once"),
      summary: "",
    });
  });

  test("a prober that is offline fails, and says that nothing is known", async () => {
    const control = ["https://127.0.0.1:1/"];
    const base = JSON.stringify({ ...(JSON.parse(steady) as object), probe: { controls: control } });
    const { probed } = await validate(mirrorsOf([{ url: `${nowhere}a` }]), base, ofPrivate);
    expect(probed).toMatchObject({
      result: "failure",
      commands: [{ properties: "title=The prober is offline" }],
      summary: expect.stringMatching(/^## The prober is offline/),
    });
  });
});
