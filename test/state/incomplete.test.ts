import { expect, test } from "vitest";
import type { State } from "../../src/state/document.ts";
import { incompleteNodes } from "../../src/state/incomplete.ts";

test("a node is incomplete if it lacked a part of its content", () => {
  const node = (content_code?: string) => ({ status: 1, since: 0, transitions: [], content_code }) as const;
  const state: State = {
    schema: 2,
    runs: [],
    nodes: { 1: node(), 2: node("missing_file"), 3: node("expired"), 4: node("half_synced") },
    references: {},
    vantages: {},
  };
  expect(incompleteNodes(state)).toEqual(new Set([2, 4]));
  expect(incompleteNodes(undefined)).toEqual(new Set());
});
