import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { nodesOf, resolveFeed, resolveState, targetsOf } from "../../src/feed/feed.ts";
import type { State } from "../../src/state/schema.ts";
import { notifiedConfig, playRun } from "../support/notified-feed.ts";
import { midnight } from "../support/playing.ts";

const config = notifiedConfig([{ id: 1 }, { id: 2 }]);
const state = playRun(config, undefined, { at: 0, seen: { 2: "timeout" } });

function statuses(own: Config, known: State | undefined): number[] {
  const round = { run: "r", at: midnight, vantages: [] };
  const { systems } = resolveFeed(own, listNodes(own), round, { state: known, online: [] });
  return nodesOf(targetsOf(systems)).map(({ status }) => status);
}

test("a node is offline before any run, and online if it is new to a state", () => {
  expect(statuses(config, undefined)).toEqual([0, 0]);
  expect(statuses(config, state)).toEqual([1, 0]);
  expect(statuses(notifiedConfig([{ id: 1 }, { id: 2 }, { id: 3 }]), state)).toEqual([1, 0, 1]);
});

test("a state alone has the feed of its last run", () => {
  const nodes = listNodes(config);
  const { run } = resolveState(config, nodes, state);
  expect(run).toMatchObject({ run: "r0", generated_at: new Date(midnight).toISOString() });
  expect(resolveState(config, nodes, { ...state, runs: [] }).run.run).toBe("");
});

test("a node of the configuration must be among the nodes", () => {
  const [first] = listNodes(config);
  expect(() => resolveState(config, first === undefined ? [] : [first], state)).toThrow("Node 2 is missing");
});
