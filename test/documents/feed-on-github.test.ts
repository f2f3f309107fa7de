import { expect, test } from "vitest";
import { parseSchedule } from "../../src/init/schedule.ts";
import { loadDocument } from "../support/document.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const words = loadDocument(".github/docs/feed-on-github.md").text.replaceAll(/\s+/g, " ");
const workflow = parseWorkflow(readWorkflow("refresh.yml"));

test("the minutes of the schedule are those of the workflow", () => {
  const [, minutes = ""] = /cron: "([\d,]+) \* \* \* \*"/.exec(readWorkflow("refresh.yml")) ?? [];
  expect(words).toContain(`at minutes ${minutes.replace(",", " and ")} of each hour`);
  expect(workflow.on["push"]).toEqual({ branches: ["main"], paths: ["mirrors.json", "public/**"] });

  // Without `notify`, its job is skipped and takes no minute.
  const jobs = Object.keys(workflow.jobs).filter((job) => job !== "notify");
  const runs = minutes.split(",").length * 24;
  expect(jobs).toHaveLength(2);
  expect(words).toContain(`starts two jobs ${runs} times a day`);
  expect(Math.round((runs * jobs.length * 30) / 100) * 100).toBe(2900);
  expect(words).toContain("about 2,900 minutes a month");
});

test("the warning is that of the workflow", () => {
  const [, title = ""] = /with the warning "(.*?)"/.exec(words) ?? [];
  expect(readWorkflow("refresh.yml")).toContain(`::warning title=${title}::`);
});

test("init takes the interval of the document", () => {
  const [, interval = ""] = /init --interval (\w+)/.exec(words) ?? [];
  expect(parseSchedule(interval)?.minutes).toBe(120);
});
