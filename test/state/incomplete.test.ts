import { expect, test } from "vitest";
import type { State } from "../../src/state/schema.ts";
import { earlierRuns } from "../../src/state/earlier-runs.ts";

test("a node is incomplete if it lacked a part of its content", () => {
  const node = (content_code?: string) => ({ status: 1, since: 0, transitions: [], content_code }) as const;
  const state: State = {
    schema: 1,
    runs: [],
    nodes: { 1: node(), 2: node("missing_file"), 3: node("expired"), 4: node("half_synced") },
    references: {},
    vantages: {},
  };
  expect(earlierRuns(state).incomplete).toEqual(new Set([2, 4]));
  expect(earlierRuns(undefined).incomplete).toEqual(new Set());
});
