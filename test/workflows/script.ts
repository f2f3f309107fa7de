import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { type LogCommand, readCommands } from "./log-command.ts";

/** Where a job runs. */
export interface Place {
  readonly workspace: string;
  /** RUNNER_TEMP */
  readonly temporary: string;
}

export interface ScriptOutcome {
  readonly result: "success" | "failure";
  readonly output: string;
  readonly commands: readonly LogCommand[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Runs a step's program with the files and variables that GitHub gives it. Returns what the runner sees. */
export async function runStep(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  { workspace, temporary }: Place,
): Promise<ScriptOutcome> {
  const folder = mkdtempSync(join(temporary, "step-"));
  const file = (name: string): string => {
    writeFileSync(join(folder, name), "");
    return join(folder, name);
  };
  const files = { GITHUB_OUTPUT: file("output"), GITHUB_STEP_SUMMARY: file("summary") };
  const { isGood, stdout, stderr } = await execute(program, parameters, workspace, {
    // PATH is the only variable that a step gets from this machine, so that no proxy and no Git settings affect it.
    ...{ PATH: env["PATH"], HOME: temporary, RUNNER_TEMP: temporary, GITHUB_WORKSPACE: workspace },
    ...{ CI: "true", GITHUB_ACTIONS: "true", ...files, ...environment },
  });
  // The runner reads stdout and stderr concurrently, so `::stop-commands::` on one does not protect the other.
  const output = stdout + stderr;
  return {
    result: isGood ? "success" : "failure",
    output,
    commands: readCommands(output),
    outputs: parseOutputs(readFileSync(files.GITHUB_OUTPUT, "utf8")),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8"),
  };
}

function execute(
  program: string,
  parameters: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ isGood: boolean; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(program, parameters, { cwd, env: environment }, (error, stdout, stderr) => {
      resolve({ isGood: error === null, stdout, stderr });
    });
  });
}

function parseOutputs(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`"${line}" is not known as an output.`);
      return [name, value];
    }),
  );
}
