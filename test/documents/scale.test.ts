import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { parseShard, resolveShard } from "../../src/commands/shard.ts";
import { advertisement } from "../support/advertisement.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { loadDocument } from "../support/document.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { openShellCommand } from "../support/shell-command.ts";
import { startTestbed, type Testbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writeOneTarget } from "../support/one-target.ts";

const guide = loadDocument(".github/docs/scale.md");

/** The only block of a section, or the one that contains a text. */
function block(heading: string, part = ""): string {
  const section = guide.sections.find((one) => one.heading === heading);
  const [only, ...others] = section?.blocks.filter(({ text }) => text.includes(part)) ?? [];
  if (only === undefined || others.length > 0) throw new Error(`${heading} has not one such block.`);
  return only.text;
}

/** What a script called `mirrorfeed` with, and the variables that it had. */
interface Call {
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

describe("the shards of the guide", () => {
  const folder = temporaryFolder("mirrorfeed-scale-");
  const log = join(folder, "calls");

  beforeAll(() => {
    mkdirSync(join(folder, "bin"));
    // Writes down its parameters, and makes the file of the results, so that patterns find it.
    script(
      "mirrorfeed",
      `printf '%s\\n' "$*" >> "$CALLS"; while [ $# -gt 0 ]; do results "$1" "$2"; shift; done`,
    );
    script("buildkite-agent", `[ "$*" = "artifact download results/*.json ." ]`);
    script(
      "sbatch",
      `case "$*" in *--wrap*) shift 2; exec sh -c "$1";; "--parsable probe.sbatch") echo 36;; esac`,
    );
  });

  function script(name: string, body: string): void {
    const results = `results() { [ "$1" != --results ] || { mkdir -p "$(dirname "$2")"; : > "$2"; }; }`;
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${results}\n${body}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }

  /** Runs a script in a new folder of the feed, and returns what it called. */
  function run(commands: string, place: string, variables: Readonly<Record<string, string>> = {}): Call[] {
    const cwd = join(folder, place);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(log, "");
    const path = `${join(folder, "bin")}:${env["PATH"] ?? ""}`;
    execFileSync("bash", ["--norc", "-euc", commands], {
      cwd,
      env: { PATH: path, CALLS: log, ...variables },
    });
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => ({ parameters: line.split(" "), environment: variables }));
  }

  /** Expects three parts of one run in these calls, and that the last ones build from the results of all of them. */
  function expectWhole(probes: readonly Call[], builds: readonly Call[]): void {
    const parts = probes.map(({ parameters, environment }) => {
      expect(parameters[0]).toBe("probe");
      return resolveShard(
        parseShard(option(parameters, "--shard")),
        optional(parameters, "--run-id"),
        environment,
      );
    });
    expect(parts.map(({ shard }) => shard)).toEqual([1, 2, 3].map((index) => ({ index, count: 3 })));
    expect(new Set(parts.map((part) => part.run)).size).toBe(1);
    expect(builds).toHaveLength(1);
    const [name, ...parameters] = builds[0]?.parameters ?? [];
    expect(name).toBe("build");
    const files = parameters
      .filter((one) => one.endsWith(".json"))
      .map((one) => one.replace("--results=", ""));
    const results = probes.map((probe) => option(probe.parameters, "--results"));
    expect(files.filter((file) => results.includes(file))).toEqual(results);
  }

  function optional(parameters: readonly string[], name: string): string | undefined {
    const joined = parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    return joined ?? (parameters.includes(name) ? parameters[parameters.indexOf(name) + 1] : undefined);
  }

  function option(parameters: readonly string[], name: string): string {
    const value = optional(parameters, name);
    if (value === undefined) throw new Error(`${name} is missing.`);
    return value;
  }

  test("GitLab", () => {
    const job = z.object({ parallel: z.int().default(1), script: z.array(z.string()) });
    const jobs = z.object({ probe: job, build: job }).parse(parse(block("GitLab")));
    const commands = jobs.probe.script.join("\n");
    const probes = [1, 2, 3].flatMap((index) =>
      run(commands, "gitlab", {
        CI_NODE_INDEX: String(index),
        CI_NODE_TOTAL: String(jobs.probe.parallel),
        CI_PIPELINE_ID: "1001",
      }),
    );
    expectWhole(probes, run(jobs.build.script.join("\n"), "gitlab"));
  });

  test("Buildkite", () => {
    const command = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
    const step = z.object({ key: z.string(), parallelism: z.int().optional(), command });
    const { steps } = z.object({ steps: z.tuple([step, step]) }).parse(parse(block("Buildkite")));
    const [probe, build] = steps.map((one) => one.command.join("\n").replaceAll("$$", "$"));
    const probes = [0, 1, 2].flatMap((index) =>
      run(probe ?? "", "buildkite", {
        BUILDKITE_PARALLEL_JOB: String(index),
        BUILDKITE_PARALLEL_JOB_COUNT: String(steps[0].parallelism),
        BUILDKITE_BUILD_ID: "4735ba57",
      }),
    );
    expectWhole(probes, run(build ?? "", "buildkite"));
  });

  test("CircleCI", () => {
    const step = z.union([
      z.object({ run: z.string() }).transform((one) => [one.run]),
      z.unknown().transform(() => []),
    ]);
    const job = z.object({ parallelism: z.int().default(1), steps: z.array(step) });
    const { jobs } = z.object({ jobs: z.object({ probe: job, build: job }) }).parse(parse(block("CircleCI")));
    const probes = [0, 1, 2].flatMap((index) =>
      run(jobs.probe.steps.flat().join("\n"), "circle", {
        CIRCLE_NODE_INDEX: String(index),
        CIRCLE_NODE_TOTAL: String(jobs.probe.parallelism),
        CIRCLE_PIPELINE_ID: "00af6f1c",
      }),
    );
    expectWhole(probes, run(jobs.build.steps.flat().join("\n"), "circle"));
  });

  test("Slurm", () => {
    const job = block("Slurm", "#SBATCH");
    expect(job).toContain("\n#SBATCH --array=1-3\n");
    const probes = [1, 2, 3].flatMap((index) =>
      run(job, "slurm", {
        SLURM_ARRAY_JOB_ID: "36",
        SLURM_ARRAY_TASK_ID: String(index),
        SLURM_ARRAY_TASK_MIN: "1",
        SLURM_ARRAY_TASK_MAX: "3",
        SLURM_ARRAY_TASK_STEP: "1",
        SLURM_ARRAY_TASK_COUNT: "3",
      }),
    );
    expectWhole(probes, run(block("Slurm", "--parsable"), "slurm"));
  });

  test("Kubernetes", () => {
    const container = z.object({
      args: z.array(z.string()),
      env: z.tuple([z.object({ name: z.literal("JOB_UID") })]),
    });
    const pod = z.object({ spec: z.object({ containers: z.tuple([container]) }) });
    const job = z.object({
      kind: z.literal("Job"),
      spec: z.object({ completionMode: z.literal("Indexed"), completions: z.literal(3), template: pod }),
    });
    const { args } = job.parse(parse(block("Kubernetes", "kind: Job"))).spec.template.spec.containers[0];
    const probes = ["0", "1", "2"].map((index) => {
      const environment = { JOB_COMPLETION_INDEX: index, JOB_UID: "863452e6" };
      const parameters = args.map((one) =>
        one.replaceAll(
          /\$\((\w+)\)/g,
          (_, name: string) => z.record(z.string(), z.string()).parse(environment)[name] ?? "",
        ),
      );
      return { parameters, environment };
    });
    const build = z.object({ args: z.array(z.string()) }).parse(parse(block("Kubernetes", "- build")));
    expectWhole(probes, [{ parameters: build.args, environment: {} }]);
  });
});

describeWith("GNU parallel", findProgram("parallel") !== undefined, "GNU parallel", () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed();
  });
  afterAll(async () => {
    await testbed.close();
  });

  test("the loop of the guide probes each mirror once and builds one run", async () => {
    const folder = temporaryFolder("mirrorfeed-parallel-");
    const servers = await Promise.all(Array.from({ length: 6 }, () => testbed.startServer(advertisement())));
    writeOneTarget(
      folder,
      servers.map(({ url }) => `${url}/a`),
    );
    mkdirSync(join(folder, "bin"));
    closeAfterTest(await openShellCommand(join(folder, "bin")));
    const path = `${join(folder, "bin")}:${env["PATH"] ?? ""}`;
    // Without it, GNU parallel asks for a citation.
    writeFileSync(join(folder, "will-cite"), "");
    const { stdout } = await promisify(execFile)(
      "bash",
      ["--norc", "-euc", block("One machine with GNU parallel")],
      {
        cwd: folder,
        env: { ...env, PATH: path, PARALLEL_HOME: folder },
      },
    );
    expect(stdout).toContain("6 nodes: 6 online, 0 offline.");
    expect(servers.map(({ requests }) => requests)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
