import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { actions, type GitHub } from "./actions.ts";
import { type Context, holds, interpolate, type Scope } from "../workflows/expression.ts";
import type { LogCommand } from "../workflows/log-command.ts";
import { type Place, runScript } from "../workflows/script.ts";
import { type Job, parseWorkflow, type Step, type Workflow } from "./workflow.ts";

type Result = "success" | "failure" | "skipped";

export interface StepOutcome {
  readonly name: string;
  readonly result: Result;
  readonly output: string;
  readonly commands: readonly LogCommand[];
  readonly summary: string;
}

export interface JobOutcome {
  readonly result: Result;
  readonly outputs: Readonly<Record<string, string>>;
  /** The outcomes of all jobs of the matrix. */
  readonly steps: readonly StepOutcome[];
}

export interface WorkflowRun {
  readonly github: GitHub;
  readonly runId: string;
  readonly attempt?: number;
  /** The branch or tag that started it (default: main). */
  readonly refName?: string;
  /** The secrets of the repository beside the token. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Returns the script to run instead of a step's. By default it is the step's own. */
  readonly replace?: (script: string, job: string) => string;
}

/**
 * Runs a workflow as GitHub does: every `run:` for real, in a working copy of its job, and every `uses:` as a stub.
 * Jobs of a matrix run at once, the others one after another.
 */
export async function runWorkflow(text: string, run: WorkflowRun): Promise<Record<string, JobOutcome>> {
  const workflow = parseWorkflow(text);
  const outcomes: Record<string, JobOutcome> = {};
  // In the order of the file, in which each job follows the jobs it needs.
  for (const [id, job] of Object.entries(workflow.jobs)) {
    const needed = [...ancestors(job, workflow)].map((name) => outcomes[name]?.result);
    const scope = jobScope(
      run,
      needs(job, outcomes),
      needed.every((result) => result === "success"),
    );
    if (holds(job.if, scope)) {
      const instances = expand(job).map((matrix) => runJob(workflow, job, matrix, scope, run));
      outcomes[id] = merge(await Promise.all(instances), job);
    } else {
      outcomes[id] = { result: "skipped", outputs: {}, steps: [] };
    }
  }
  return outcomes;
}

function ancestors(job: Job, workflow: Workflow): Set<string> {
  return new Set(
    job.needs.flatMap((name) => {
      const needed = workflow.jobs[name];
      if (needed === undefined) throw new Error(`There is no job ${name}.`);
      return [name, ...ancestors(needed, workflow)];
    }),
  );
}

function needs(job: Job, outcomes: Readonly<Record<string, JobOutcome>>): Context {
  return Object.fromEntries(
    job.needs.map((name) => {
      const { result = "skipped", outputs = {} } = outcomes[name] ?? {};
      return [name, { result, outputs }];
    }),
  );
}

function jobScope(
  { github, runId, attempt = 1, refName = "main", secrets = {} }: WorkflowRun,
  needed: Context,
  isGood: boolean,
): Scope {
  return {
    contexts: {
      github: { run_id: runId, run_attempt: String(attempt), ref: "refs/heads/main", ref_name: refName },
      secrets: { ...secrets, GITHUB_TOKEN: github.token },
      needs: needed,
    },
    functions: {
      success: () => isGood,
      failure: () => !isGood,
      always: () => true,
      cancelled: () => false,
    },
  };
}

/** Every combination of the matrix. */
function expand({ strategy }: Job): Context[] {
  return Object.entries(strategy?.matrix ?? {}).reduce<Context[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
}

function merge(instances: readonly JobOutcome[], job: Job): JobOutcome {
  const isGood = job["continue-on-error"] || instances.every(({ result }) => result === "success");
  return {
    result: isGood ? "success" : "failure",
    outputs: Object.assign({}, ...instances.map(({ outputs }) => outputs)),
    steps: instances.flatMap(({ steps }) => steps),
  };
}

async function runJob(
  workflow: Workflow,
  job: Job,
  matrix: Context,
  { contexts }: Scope,
  run: WorkflowRun,
): Promise<JobOutcome> {
  const folder = mkdtempSync(join(run.github.folder, "job-"));
  const place = { workspace: join(folder, "workspace"), temporary: join(folder, "temporary") };
  for (const path of Object.values(place)) mkdirSync(path);
  const done: StepOutcome[] = [];
  const outputs: Record<string, Context> = {};
  const isGood = (): boolean => done.every(({ result }) => result !== "failure");
  const scope: Scope = {
    contexts: { ...contexts, matrix, runner: { temp: place.temporary }, steps: outputs },
    functions: {
      success: isGood,
      failure: () => !isGood(),
      always: () => true,
      cancelled: () => false,
    },
  };
  for (const step of job.steps) {
    const { outputs: own, ...outcome } = holds(step.if, scope)
      ? await runStep(workflow, job, step, scope, place, run)
      : { ...nothing, result: "skipped" as const, outputs: {} };
    // The log shows such a failure, and the job goes on.
    const result = step["continue-on-error"] && outcome.result === "failure" ? "success" : outcome.result;
    done.push({ name: step.name ?? step.uses ?? step.run ?? "", ...outcome, result });
    if (step.id !== undefined) outputs[step.id] = { outputs: own };
  }
  return {
    result: isGood() ? "success" : "failure",
    outputs: interpolateAll(job.outputs, scope),
    steps: done,
  };
}

const nothing = { output: "", commands: [], summary: "" };

type StepRun = Omit<StepOutcome, "name"> & { readonly outputs: Readonly<Record<string, string>> };

async function runStep(
  workflow: Workflow,
  job: Job,
  step: Step,
  scope: Scope,
  place: Place,
  { github, runId, attempt = 1, replace = (script) => script }: WorkflowRun,
): Promise<StepRun> {
  if (step.run !== undefined) {
    const environment = {
      ...interpolateAll({ ...workflow.env, ...job.env, ...step.env }, scope),
      GITHUB_RUN_ID: runId,
      GITHUB_RUN_ATTEMPT: String(attempt),
    };
    const script = replace(interpolate(step.run, scope), interpolate(job.name, scope));
    return runScript(script, workflow.defaults?.run.shell, environment, place);
  }
  const action = actions[step.uses?.split("@")[0] ?? ""];
  if (action === undefined) throw new Error(`${step.uses ?? "A step"} is not known here.`);
  const inputs = interpolateAll(step.with, scope);
  try {
    const outputs = await action(github, { inputs, job, run: runId, workspace: place.workspace });
    return { ...nothing, result: "success", outputs };
  } catch (error) {
    return { ...nothing, result: "failure", outputs: {}, output: String(error) };
  }
}

function interpolateAll(texts: Readonly<Record<string, string>>, scope: Scope): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, interpolate(text, scope)]));
}
