import { expect } from "vitest";
import type { LogCommand } from "../workflows/log-command.ts";
import type { JobOutcome, StepOutcome } from "./step-runner.ts";

type Jobs = Readonly<Record<string, JobOutcome>>;

/** Expects how each job ended; what its steps printed goes with the failure. */
export function expectResults(jobs: Jobs, expected: Readonly<Record<string, string>>): void {
  const results = Object.fromEntries(Object.entries(jobs).map(([name, { result }]) => [name, result]));
  expect(results, logOf(jobs)).toEqual(expected);
}

function logOf(jobs: Jobs): string {
  return stepsOf(jobs)
    .map(({ name, result, output }) => `${name}: ${result}\n${output}`)
    .join("\n");
}

export function commandsOf(jobs: Jobs): LogCommand[] {
  return stepsOf(jobs).flatMap(({ commands }) => commands);
}

export function summaryOf(jobs: Jobs): string {
  return stepsOf(jobs)
    .map(({ summary }) => summary)
    .join("");
}

function stepsOf(jobs: Jobs): StepOutcome[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}
