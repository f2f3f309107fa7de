import { expect, test } from "vitest";
import type { State } from "../../src/state/schema.ts";
import { earlierRuns } from "../../src/state/earlier-runs.ts";

const tally = (code: State["vantages"][string]["nodes"][string]["code"]) => ({ code, hours: "", days: "" });

test("a node is silent if a vantage saw no answer in time when it observed the node last", () => {
  const state: State = {
    schema: 1,
    runs: [],
    nodes: {},
    references: {},
    vantages: {
      one: { times: [1], nodes: { "1": tally("ok"), "2": tally("timeout"), "3": tally("refused") } },
      two: { times: [1], nodes: { "1": tally("timeout"), "4": tally(undefined) } },
    },
  };
  expect(earlierRuns(state).silent).toEqual(new Set([2, 1]));
});

test("without a state no node is known to be silent", () => {
  expect(earlierRuns(undefined).silent).toEqual(new Set());
});
