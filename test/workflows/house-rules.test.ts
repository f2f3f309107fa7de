import { expect, test } from "vitest";
import { brokenRules } from "../support/house-rules.ts";
import { parseWorkflow, readWorkflow, workflowFiles } from "../support/workflow.ts";

test("there are the workflows that the README tells of", () => {
  expect(workflowFiles).toEqual([
    "ci.yml",
    "refresh-sharded.yml",
    "refresh.yml",
    "release.yml",
    "validate.yml",
    "weekly.yml",
  ]);
});

test.each(workflowFiles)("%s keeps every rule of the house", (file) => {
  const text = readWorkflow(file);
  expect(brokenRules(parseWorkflow(text), text)).toEqual([]);
});
