import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { exampleFeed } from "../../../src/app/example-feed.ts";
import { nodesOf, resolveFeed, resolveState, targetsOf } from "../../../src/core/feed/feed.ts";
import { comingMaintenance } from "../../../src/core/feed/incidents.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { notifiedConfig, playRun } from "../../support/notified-feed.ts";
import { configOf, hour, midnight, noon, play } from "../../support/playing.ts";

const config = notifiedConfig([{ id: 1 }, { id: 2 }]);
const other = configOf();
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

test("a difference of refs is shown, even of a mirror that is in sync", () => {
  const revisions = ["a", "a", "b"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));
  const seen = { default: (id: number) => revisions[id - 1] ?? "ok" };
  const known = play(other, [{ at: noon, vantages: seen }]).state;
  if (known === undefined) throw new Error("A round was played.");
  const names = { missing: ["refs/tags/v2"], extra: [], different: [] };
  const difference = { missing: 1, extra: 0, different: 0, names };
  const entries = Object.entries(known.nodes);
  const nodes = Object.fromEntries(entries.map(([id, node]) => [id, { ...node, difference }]));
  const [target] = targetsOf(resolveState(other, listNodes(other), { ...known, nodes }).systems);
  expect(target?.nodes.map((node) => node.freshness)).toEqual(["in_sync", "in_sync", "unknown"]);
  expect(target?.nodes.map((node) => node.difference !== undefined)).toEqual([true, true, true]);
});

test("maintenance that has not ended is of all nodes, or of those that it covers", () => {
  const window = (scope: number, from: number, to: number) => ({
    ...{ scope, reason: `of ${scope}` },
    ...{ from: new Date(noon + from * hour).toISOString(), to: new Date(noon + to * hour).toISOString() },
  });
  const maintenance = [window(1, -2, -1), window(2, -1, 1), window(3, 1, 2)];
  const { feed } = play(configOf({ maintenance }), [{ at: noon }]);
  const nodes = nodesOf(targetsOf(feed.systems));
  const reasons = (...ids: number[]) => {
    const covered = nodes.filter(({ id }) => ids.includes(id));
    return comingMaintenance(feed, covered).map(({ reason }) => reason);
  };
  expect(comingMaintenance(feed).map(({ reason }) => reason)).toEqual(["of 2", "of 3"]);
  expect([reasons(1), reasons(2), reasons(1, 3)]).toEqual([[], ["of 2"], ["of 3"]]);
});

test("the example of the API has its second mirror offline", () => {
  const nodes = nodesOf(targetsOf(exampleFeed(configOf()).systems));
  expect(nodes.map(({ status, code }) => [status, code])).toEqual([
    [1, "ok"],
    [0, "timeout"],
  ]);
});
