import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseShard, resolveShard } from "../../src/app/commands/shard.ts";
import { loadDocument } from "../support/document.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/scale.md");

/** Returns the only block in a section, or the only one that contains `part`. */
function block(heading: string, part = ""): string {
  const section = guide.sections.find((one) => one.heading === heading);
  const [only, ...others] = section?.blocks.filter(({ text }) => text.includes(part)) ?? [];
  if (only === undefined || others.length > 0) throw new Error(`${heading} has not one such block.`);
  return only.text;
}

/** A script's call of `mirrorfeed`, with its parameters and environment variables. */
interface Call {
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * An example of the guide: a script that probes one part of a run, a script that builds from all parts, and the variables of
 * each part.
 */
interface Example {
  readonly probe: readonly string[];
  readonly build: readonly string[];
  readonly variables: (part: number) => Readonly<Record<string, unknown>>;
}

/** A job of GitLab or CircleCI, or a step of Buildkite. */
interface Job {
  readonly parallel?: number;
  readonly parallelism?: number;
  readonly script: readonly string[];
  readonly steps: readonly { readonly run?: string }[];
  readonly command: string | readonly string[];
}

describe("the shards of the guide", () => {
  const folder = temporaryFolder("mirrorfeed-scale-");
  const log = join(folder, "calls");

  beforeAll(() => {
    mkdirSync(join(folder, "bin"));
    // This substitute logs its parameters. It also creates the results file, so that the guide's glob patterns match
    // something.
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
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${results}\n${body}\n`, { mode: 0o755 });
  }

  /** Runs commands in the folder `place`. Returns their calls of mirrorfeed. */
  function run(commands: readonly string[], place: string, variables: Call["environment"] = {}): Call[] {
    const cwd = join(folder, place);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(log, "");
    const PATH = `${join(folder, "bin")}:${env["PATH"] ?? ""}`;
    execFileSync("bash", ["--norc", "-euc", commands.join("\n")], {
      cwd,
      env: { PATH, CALLS: log, ...variables },
    });
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => ({ parameters: line.split(" "), environment: variables }));
  }

  function optional(parameters: readonly string[], name: string): string | undefined {
    const joined = parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    return joined ?? (parameters.includes(name) ? parameters[parameters.indexOf(name) + 1] : undefined);
  }

  /** Expects that `probes` probe all three parts of one run, and that `builds` is a single build from the three results. */
  function expectWhole(probes: readonly Call[], builds: readonly Call[]): void {
    const parts = probes.map(({ parameters, environment }) => {
      expect(parameters[0]).toBe("probe");
      const shard = parseShard(optional(parameters, "--shard") ?? "");
      return resolveShard(shard, optional(parameters, "--run-id"), environment);
    });
    expect(parts.map(({ shard }) => shard)).toEqual([1, 2, 3].map((index) => ({ index, count: 3 })));
    expect(new Set(parts.map((part) => part.run)).size).toBe(1);
    expect(builds.map(({ parameters }) => parameters[0])).toEqual(["build"]);
    const files = builds[0]?.parameters.map((one) => one.replace("--results=", ""));
    const results = probes.map(({ parameters }) => optional(parameters, "--results"));
    expect(files?.filter((file) => results.includes(file))).toEqual(results);
  }

  const examples: Record<string, () => Example> = {
    GitLab: () => {
      const { probe, build }: { probe: Job; build: Job } = parse(block("GitLab"));
      const shared = { CI_NODE_TOTAL: probe.parallel, CI_PIPELINE_ID: 1001 };
      return {
        ...{ probe: probe.script, build: build.script },
        variables: (part) => ({ CI_NODE_INDEX: part, ...shared }),
      };
    },
    Buildkite: () => {
      const { steps }: { steps: [Job, Job] } = parse(block("Buildkite"));
      const [probe, build] = steps.map(({ command }) =>
        [command].flat().map((line) => line.replaceAll("$$", "$")),
      );
      const shared = { BUILDKITE_PARALLEL_JOB_COUNT: steps[0].parallelism, BUILDKITE_BUILD_ID: "4735ba57" };
      return {
        ...{ probe: probe ?? [], build: build ?? [] },
        variables: (part) => ({ BUILDKITE_PARALLEL_JOB: part - 1, ...shared }),
      };
    },
    CircleCI: () => {
      const { jobs }: { jobs: { probe: Job; build: Job } } = parse(block("CircleCI"));
      const [probe = [], build = []] = [jobs.probe, jobs.build].map(({ steps }) =>
        steps.flatMap((step) => step.run ?? []),
      );
      const shared = { CIRCLE_NODE_TOTAL: jobs.probe.parallelism, CIRCLE_PIPELINE_ID: "00af6f1c" };
      return { probe, build, variables: (part) => ({ CIRCLE_NODE_INDEX: part - 1, ...shared }) };
    },
    Slurm: () => {
      const probe = block("Slurm", "#SBATCH");
      expect(probe).toContain("\n#SBATCH --array=1-3\n");
      const array = { SLURM_ARRAY_TASK_MIN: 1, SLURM_ARRAY_TASK_MAX: 3, SLURM_ARRAY_TASK_STEP: 1 };
      const shared = { ...array, SLURM_ARRAY_TASK_COUNT: 3, SLURM_ARRAY_JOB_ID: 36 };
      return {
        ...{ probe: [probe], build: [block("Slurm", "--parsable")] },
        variables: (part) => ({ SLURM_ARRAY_TASK_ID: part, ...shared }),
      };
    },
  };

  test.each(Object.entries(examples))("%s", (name, load) => {
    const { probe, build, variables } = load();
    const probes = [1, 2, 3].flatMap((part) => {
      const own = Object.entries(variables(part)).map(([key, value]) => [key, String(value)] as const);
      return run(probe, name, Object.fromEntries(own));
    });
    expectWhole(probes, run(build, name));
  });

  test("Kubernetes", () => {
    const job: {
      kind: string;
      spec: {
        completionMode: string;
        completions: number;
        template: { spec: { containers: [{ args: string[]; env: object[] }] } };
      };
    } = parse(block("Kubernetes", "kind: Job"));
    expect(job).toMatchObject({ kind: "Job", spec: { completionMode: "Indexed", completions: 3 } });
    const [{ args, env: variables }] = job.spec.template.spec.containers;
    expect(variables).toMatchObject([{ name: "JOB_UID" }]);
    const probes = ["0", "1", "2"].map((index) => {
      const environment: Record<string, string> = { JOB_COMPLETION_INDEX: index, JOB_UID: "863452e6" };
      const parameters = args.map((one) =>
        one.replaceAll(/\$\((\w+)\)/g, (_, key: string) => environment[key] ?? ""),
      );
      return { parameters, environment };
    });
    const build: { args: string[] } = parse(block("Kubernetes", "- build"));
    expectWhole(probes, [{ parameters: build.args, environment: {} }]);
  });
});
