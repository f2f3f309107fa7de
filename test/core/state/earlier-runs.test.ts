import { expect, test } from "vitest";
import { earlierRuns } from "../../../src/core/state/earlier-runs.ts";
import type { State } from "../../../src/core/state/state-schema.ts";

test("earlier runs tell which nodes were silent, which lacked a part of their content, the newest reference, and which hosts were checked", () => {
  const node = (content_code?: string) => ({ status: 1, since: 0, transitions: [], content_code }) as const;
  const tally = (code: string | undefined) => ({ code, hours: "", days: "" });
  const state: State = {
    schema: 1,
    runs: [],
    nodes: { 1: node(), 2: node("missing_file"), 3: node("expired"), 4: node("half_synced") },
    references: {
      "s/p/t": {
        branch: "main",
        versions: [
          { value: "old", since: 1 },
          { value: "new", since: 2, date: 2, index: { size: 3 } },
        ],
      },
      "s/p/u": { branch: "main", versions: [] },
    },
    vantages: {
      one: { times: [1], nodes: { 1: tally("ok"), 2: tally("timeout"), 3: tally("refused") } },
      two: { times: [1], nodes: { 1: tally("timeout"), 4: tally(undefined) } },
    },
  };
  expect(earlierRuns(state, [])).toMatchObject({ silent: new Set([2, 1]), incomplete: new Set([2, 4]) });
  expect(earlierRuns(state, []).references).toEqual(
    new Map([["s/p/t", { revision: "new", index: { size: 3 } }]]),
  );
  expect(earlierRuns(undefined, [])).toMatchObject({ silent: new Set(), incomplete: new Set() });
});
