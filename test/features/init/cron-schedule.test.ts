import { describe, expect, test } from "vitest";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { nginx } from "../../../src/features/hosts/nginx.ts";
import { cronOf, intervalProblem, scheduleWarning } from "../../../src/features/init/cron-schedule.ts";
import { workflowPath } from "../../../src/features/init/workflow.ts";
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
])("%s is the interval of a cron", (text, cron) => {
  expect(cronOf(text)).toBe(cron);
  expect(intervalProblem(text, githubPages)).toBeUndefined();
});

test.each(["0m", "1m", "4m", "7m", "45m", "90m", "5h", "36h", "48h", "1d", "30s", "05m"])(
  "%j is the interval of none",
  (text) => {
    expect(cronOf(text)).toBeUndefined();
    expect(intervalProblem(text, githubPages)).toContain(`"${text}" is shorter than five`);
  },
);

test("a host without a workflow takes every interval that mirrors.json takes", () => {
  for (const text of ["1m", "60s", "7m", "90m", "1d", "7d"])
    expect(intervalProblem(text, nginx), text).toBeUndefined();
  expect(intervalProblem("59s", nginx)).toBe('"59s" must be 1m or longer');
  expect(intervalProblem("8d", nginx)).toBe('"8d" must be 7d or shorter');
});

test.each([nginx, githubPages])("a text that is no interval says what one is: $name", (host) => {
  expect(intervalProblem("soon", host)).toBe('"soon" must be a duration such as 10s, 30m, 24h or 7d');
  expect(intervalProblem("6", host)).toBe('"6" has no unit; write 6m or 6h');
});

test("only what fits is suggested for a number", () => {
  expect(intervalProblem("30", githubPages)).toBe('"30" has no unit; write 30m');
  expect(intervalProblem("24", githubPages)).toBe('"24" has no unit; write 24h');
  expect(intervalProblem("7", githubPages)).toContain('"7" must be a duration');
});

test("every cron comes as often as its interval says, at the same minutes", () => {
  const texts = Array.from({ length: 1500 }, (_, index) => [`${index}m`, `${index}h`]).flat();
  const crons = texts.flatMap((text) => {
    const cron = cronOf(text);
    return cron === undefined ? [] : [{ text, cron }];
  });
  for (const { text, cron } of crons)
    expect(scheduleWarning(workflow(cron), text, workflowPath), text).toBeUndefined();
  expect(crons.length).toBeGreaterThan(20);
});

function workflow(...crons: readonly string[]): string {
  return `on:\n  schedule:\n${crons.map((cron) => `    - cron: ${cron}\n`).join("")}`;
}

describe("the schedule of a workflow", () => {
  test("is found in that of this repository, whatever it is", () => {
    expect(scheduleWarning(readWorkflow("refresh.yml"), "1m", workflowPath)).toMatch(
      /^is 1m, but the schedule/,
    );
  });

  test.each<[string[], string]>([
    [['"*/30 * * * *"'], "30m"],
    [["'0,30 0-23 * * 0-6' # twice an hour"], "30m"],
    [['"0 * * * *"', '"30 * 1-31 JAN-DEC sun-sat"'], "30m"],
    [['"5/15 * * * *"'], "15m"],
    [['"20/15 * * * *"'], "30m"],
    [['"10 6 * * 1-5"', '"10 6 * * SAT,SUN"'], "24h"],
    [['"0 0 1-15 * *"', '"0 0 16-31 * *"'], "24h"],
    [['"0 0 * * MON"'], "7d"],
    [["0 */6 * * *"], "6h"],
    // By POSIX, a day matches if either the day of the month or the day of the week does.
    [['"0 0 1-31 * 1"'], "24h"],
    [[], "30m"],
  ])("%j is every %s", (crons, interval) => {
    expect(scheduleWarning(workflow(...crons), interval, workflowPath)).toBeUndefined();
  });

  test.each<[string[], string, string]>([
    [
      ['"7 */6 * * *"'],
      "30m",
      'is 30m, but the schedule of .github/workflows/refresh.yml leaves up to 6 hours between runs; write 6h here, or write "7,37 * * * *" there',
    ],
    [
      ['"*/10 * * * *"'],
      "60m",
      'is 60m, but the schedule of .github/workflows/refresh.yml leaves up to 10 minutes between runs; write 10m here, or write "7 * * * *" there',
    ],
    [
      ['"0 9-17 * * *"'],
      "45m",
      "is 45m, but the schedule of .github/workflows/refresh.yml leaves up to 16 hours between runs; write 16h here",
    ],
    [
      ['"0 0 1 * *"'],
      "30m",
      'is 30m, but the schedule of .github/workflows/refresh.yml leaves up to 31 days between runs; write "7,37 * * * *" there',
    ],
    [
      ['"0 0 1 * *"'],
      "7d",
      "is 7d, but the schedule of .github/workflows/refresh.yml leaves up to 31 days between runs; make it run more often",
    ],
    [
      ['"*/3 * * * *"'],
      "5m",
      'cannot be met: .github/workflows/refresh.yml has "*/3 * * * *", but GitHub starts runs at most every 5 minutes; write "2,7,12,17,22,27,32,37,42,47,52,57 * * * *" there',
    ],
    ...[
      '"7,37 * * *"',
      '"@hourly"',
      '"60 * * * *"',
      '"* 24 * * *"',
      '"0 0 31 2 8"',
      '"0 0 0 * *"',
      '"7-3 * * * *"',
      '"*/0 * * * *"',
      '"0 0 30 2 *"',
    ].map((cron): [string[], string, string] => [
      [cron],
      "30m",
      `cannot be met: .github/workflows/refresh.yml has ${cron}, which GitHub does not accept as a schedule; write "7,37 * * * *" there`,
    ]),
  ])("%j does not fit %s", (crons, interval, warning) => {
    expect(scheduleWarning(workflow(...crons), interval, workflowPath)).toBe(warning);
  });
});
