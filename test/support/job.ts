import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Place, runStep, type ScriptOutcome } from "../workflows/script.ts";
import { gitEnvironment } from "./git.ts";
import { createRepository, type Repository, token } from "./github.ts";
import { mirrorsOf } from "./one-target.ts";
import { startSwitchedMirror } from "./switched-mirror.ts";
import type { Step, Workflow } from "./workflow.ts";

const execute = promisify(execFile);

type Texts = Readonly<Record<string, string>>;

export interface JobInput {
  /** Values of expressions such as `steps.run.outputs.attempt`. All other expressions are empty. */
  readonly values?: Texts;
  /** Environment variables such as GITHUB_RUN_ID. They override the workflow's. */
  readonly variables?: Texts;
}

export interface Job extends Place {
  /** The names of its scripts, in order, without those that have a condition. */
  readonly scripts: readonly string[];
  readonly run: (step: string) => Promise<ScriptOutcome>;
}

/** Checks out the repository for a workflow's job. Tests run the job's steps one by one, in the workflow's environment. */
export async function startJob(
  { folder, origin }: Repository,
  workflow: Workflow,
  id: string,
  { values = {}, variables = {} }: JobInput = {},
): Promise<Job> {
  const steps = workflow.jobs[id]?.steps ?? [];
  const place = mkdtempSync(join(folder, "job-"));
  const [workspace, temporary] = [join(place, "workspace"), join(place, "temporary")];
  const depth = steps[0]?.with["fetch-depth"] ?? "1";
  const clone = ["clone", "--quiet", `--depth=${depth}`, `file://${origin}`, workspace];
  await execute("git", clone, { env: gitEnvironment });
  mkdirSync(temporary);
  // In a real job, `npm ci` builds this folder.
  symlinkSync(resolve("dist"), join(workspace, "dist"));
  const run = (name: string): Promise<ScriptOutcome> => {
    const step = stepOf(steps, name);
    const file = join(temporary, "script.sh");
    writeFileSync(file, step.run ?? "");
    // GitHub sets pipefail only if the workflow says `shell: bash`.
    const options = workflow.defaults?.run.shell === "bash" ? ["-eo", "pipefail"] : ["-e"];
    const environment = { ...workflow.env, ...resolveAll(step.env, values), ...variables };
    return runStep("bash", ["--noprofile", "--norc", ...options, file], environment, {
      workspace,
      temporary,
    });
  };
  const scripts = steps.flatMap(({ name, run: script, if: condition }) =>
    name !== undefined && script !== undefined && condition === undefined ? [name] : [],
  );
  return { workspace, temporary, scripts, run };
}

function stepOf(steps: readonly Step[], name: string): Step {
  const step = steps.find((one) => one.name === name);
  if (step?.run === undefined) throw new Error(`No step "${name}" has a script.`);
  return step;
}

function resolveAll(texts: Texts, values: Texts): Record<string, string> {
  const value = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => values[expression] ?? "");
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, value(text)]));
}

export interface Refresh {
  readonly runId: string;
  readonly attempt?: number;
  readonly url?: string;
  readonly variables?: Texts;
}

/** Runs a workflow's job `refresh` up to the finished site. */
export async function refresh(
  repository: Repository,
  workflow: Workflow,
  { runId, attempt = 1, url = "", variables = {} }: Refresh,
) {
  const job = await startJob(repository, workflow, "refresh", {
    values: { "secrets.GITHUB_TOKEN": token, "steps.pages.outputs.base_url": url },
    variables: { GITHUB_RUN_ID: runId, GITHUB_RUN_ATTEMPT: String(attempt), ...variables },
  });
  const outcome = await job.run("Probe, save the state, write the site");
  // GitHub skips the steps after a failure.
  const summary = outcome.result === "failure" ? "" : (await job.run("Summarize what changed")).summary;
  return { ...outcome, summary, job, site: join(job.workspace, "_site") };
}

/** A name that would do harm in a summary, a page or a log. */
export const hostileName = "a | b <img src=x> [c](javascript:d) `e` ::error::f ##[error]g";

/**
 * Starts two mirrors and makes a feed's first run, of the job `refresh`. The second mirror has a hostile name. `more` adds
 * keys to mirrors.json.
 */
export async function startFeed(workflow: Workflow, more: object = {}, url = "") {
  const [steady, failing] = [await startSwitchedMirror(), await startSwitchedMirror()];
  const nodes = [{ url: `${steady.url}/a` }, { url: `${failing.url}/a`, name: hostileName }];
  const started = await createRepository(mirrorsOf(nodes, more));
  const first = await refresh(started, workflow, { runId: "100", url });
  return { steady, failing, started, first };
}

export async function notify(repository: Repository, workflow: Workflow, secrets: Texts, url = "") {
  const named = Object.entries(secrets).map(([name, text]) => [`secrets.${name}`, text]);
  const job = await startJob(repository, workflow, "notify", {
    values: { ...Object.fromEntries(named), "secrets.GITHUB_TOKEN": token, "needs.refresh.outputs.url": url },
  });
  const outcome = await job.run("Send pending notifications");
  const summary = outcome.result === "failure" ? "" : (await job.run("Summarize what was sent")).summary;
  return { ...outcome, summary };
}
