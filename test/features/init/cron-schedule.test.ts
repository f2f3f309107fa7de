import { describe, expect, test } from "vitest";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { nginx } from "../../../src/features/hosts/nginx.ts";
import { cronOf, intervalProblem, scheduleWarning } from "../../../src/features/init/cron-schedule.ts";
import { readWorkflow } from "../../support/workflow.ts";

test.each([
  ["5m", "2,7,12,17,22,27,32,37,42,47,52,57 * * * *"],
  ["15m", "7,22,37,52 * * * *"],
  ["30m", "7,37 * * * *"],
  ["60m", "7 * * * *"],
  ["1h", "7 * * * *"],
  ["120m", "7 */2 * * *"],
  ["6h", "7 */6 * * *"],
  ["24h", "7 7 * * *"],
])("%s is the interval of a cron", async (text, cron) => {
  expect(cronOf(text)).toBe(cron);
  expect(intervalProblem(text, githubPages)).toBeUndefined();
  expect(await scheduleWarning(workflow(cron), text, "refresh.yml")).toBeUndefined();
});

test.each(["1m", "4m", "7m", "45m", "90m", "5h", "36h", "1d", "05m"])("GitHub cannot keep %s", (text) => {
  expect(cronOf(text)).toBeUndefined();
  expect(intervalProblem(text, githubPages)).toContain(`"${text}" is shorter than five`);
});

test("a host without a workflow takes every interval that mirrors.json takes", () => {
  for (const text of ["1m", "60s", "7m", "90m", "1d", "7d"])
    expect(intervalProblem(text, nginx), text).toBeUndefined();
  for (const host of [nginx, githubPages]) {
    expect(intervalProblem("59s", host)).toBe('"59s" must be 1m or longer');
    expect(intervalProblem("8d", host)).toBe('"8d" must be 7d or shorter');
    expect(intervalProblem("6", host)).toBe('"6" must be a duration such as 10s, 30m, 24h or 7d');
  }
});

function workflow(...crons: readonly string[]): string {
  return `on:\n  schedule:\n${crons.map((cron) => `    - cron: ${cron}\n`).join("")}`;
}

describe("the schedule of a workflow", () => {
  test("is found in that of this repository, whatever it is", async () => {
    expect(await scheduleWarning(readWorkflow("refresh.yml"), "1m", "refresh.yml")).toMatch(
      /^is 1m, but the schedule/,
    );
  });

  test.each<[string[], string]>([
    [['"*/30 * * * *"'], "30m"],
    [["'0,30 0-23 * * 0-6' # twice an hour"], "30m"],
    [['"0 * * * *"', '"30 * 1-31 JAN-DEC sun-sat"'], "30m"],
    [['"20/15 * * * *"'], "30m"],
    [['"10 6 * * 1-5"', '"10 6 * * SAT,SUN"'], "24h"],
    [['"0 0 * * MON"'], "7d"],
    [["0 */6 * * *"], "6h"],
    // By POSIX, a day matches if either the day of the month or the day of the week does.
    [['"0 0 1-31 * 1"'], "24h"],
    [[], "30m"],
  ])("%j is every %s", async (crons, interval) => {
    expect(await scheduleWarning(workflow(...crons), interval, "refresh.yml")).toBeUndefined();
  });

  test.each<[string, string, string]>([
    [
      "7 */6 * * *",
      "30m",
      'is 30m, but the schedule of refresh.yml leaves up to 6 hours between runs; write 6h here, or write "7,37 * * * *" there',
    ],
    [
      "*/10 * * * *",
      "60m",
      'is 60m, but the schedule of refresh.yml leaves up to 10 minutes between runs; write 10m here, or write "7 * * * *" there',
    ],
    [
      "0 9-17 * * *",
      "45m",
      "is 45m, but the schedule of refresh.yml leaves up to 16 hours between runs; write 16h here, or change the schedule",
    ],
    [
      "0 0 1 * *",
      "30m",
      'is 30m, but the schedule of refresh.yml leaves more than 7 days between runs; write "7,37 * * * *" there',
    ],
    ...["*/3 * * * *", "7,37 * * *", "60 * * * *", "*/0 * * * *"].map((cron): [string, string, string] => [
      cron,
      "5m",
      `cannot be met: refresh.yml has "${cron}", but GitHub needs five fields and at least 5 minutes between runs; write "2,7,12,17,22,27,32,37,42,47,52,57 * * * *" there`,
    ]),
  ])("%j does not fit %s", async (cron, interval, warning) => {
    expect(await scheduleWarning(workflow(`"${cron}"`), interval, "refresh.yml")).toBe(warning);
  });
});
