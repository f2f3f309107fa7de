import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { english } from "../../../src/outputs/pages/words/english.ts";
import { german } from "../../../src/outputs/pages/words/german.ts";
import { type FeedNode, nodesOf, type Target, targetsOf } from "../../../src/feed/feed.ts";
import { pageFeedOf, wordingOf } from "../../../src/outputs/pages/page-feed.ts";
import { summarize, targetShape } from "../../../src/outputs/pages/summary.ts";
import { differenceText, statesOf } from "../../../src/outputs/pages/node-status.tsx";
import { groupByHost } from "../../../src/outputs/pages/problems.tsx";
import { healthyFeed } from "./feeds.ts";

const { feed } = healthyFeed();
const [someTarget] = targetsOf(feed.systems);
const [someNode] = nodesOf(targetsOf(feed.systems));

/** What a node of a table is: its verdict, whether the vantages disagree, and its freshness. */
type Sort = "on" | "off" | "new" | "on?" | "off?" | "behind" | "differs" | "maintenance";

const sorts: readonly Sort[] = ["on", "off", "new", "on?", "off?", "behind", "differs", "maintenance"];

function nodeOf(sort: Sort): FeedNode {
  if (someNode === undefined) throw new Error("A feed has a node.");
  const votes = [
    { vantage: "eu", code: "timeout" },
    { vantage: "usa", code: "ok" },
  ];
  const isOffline = sort.startsWith("off");
  return {
    ...someNode,
    status: isOffline ? 0 : 1,
    code: sort === "new" ? undefined : isOffline ? "timeout" : "ok",
    observed: sort.endsWith("?") ? { code: "ok", votes } : { code: "ok" },
    freshness: sort === "behind" || sort === "differs" ? sort : "in_sync",
    maintenance: sort === "maintenance" ? "new disks" : undefined,
  };
}

function targetOf(name: string, nodes: readonly Sort[]): Target {
  if (someTarget === undefined) throw new Error("A feed has a target.");
  return { ...someTarget, target: name, nodes: nodes.map(nodeOf) };
}

const run = { generated_at: "2026-11-21T12:00:00.000Z" };
const known = { ...pageFeedOf(feed, "/", wordingOf(feed.site)), run: { ...feed.run, ...run } };

/** Returns the summary in one line: the shape, the sentence, and what is beside it. */
function lineOf(
  targets: readonly (readonly Sort[])[],
  updatedWith: "run" | "day",
  vantages = 1,
  words = english,
): string {
  const { shape, sentence, details } = summarize(
    {
      ...known,
      words,
      path: updatedWith === "run" ? "/" : "/status/",
      vantages: ["eu", "usa"].slice(0, vantages),
    },
    targets.map((nodes, index) => targetOf(`t${index}`, nodes)),
  );
  return [`${shape}: ${sentence}`, ...details].join(" ");
}

describe("the headline", () => {
  test.each([
    [[["on"]], "online: The only mirror is reachable."],
    [[["on", "on"]], "online: Both mirrors are reachable."],
    [[["on", "on", "on"]], "online: All 3 mirrors are reachable."],
    [[["off"]], "offline: The only mirror is offline."],
    [[["off", "off"]], "offline: No mirror is reachable. Both are offline."],
    [[["off", "off", "off"]], "offline: No mirror is reachable. All 3 are offline."],
    [[["new"]], "unknown: No mirror has a verdict yet."],
    [[["new", "new"]], "unknown: No mirror has a verdict yet. 2 mirrors have no verdict yet."],
    [[["on", "new"]], "some: 1 of 2 mirrors is reachable. 1 mirror has no verdict yet."],
    [[["off", "new"]], "offline: 1 of 2 mirrors is offline. 1 mirror has no verdict yet."],
    [[["on", "off", "new"]], "some: 1 of 3 mirrors is offline. 1 mirror has no verdict yet."],
    [[["on?"]], "some: The vantages disagree about 1 mirror."],
    [[["off?"]], "offline: The only mirror is offline. The vantages disagree about 1 mirror."],
    [
      [["on", "on?"]],
      "some: 1 of 2 mirrors is reachable from every vantage. The vantages disagree about 1 mirror.",
    ],
    [
      [["on", "on?", "new"]],
      "some: 1 of 3 mirrors is reachable from every vantage. The vantages disagree about 1 mirror. 1 mirror has no verdict yet.",
    ],
    [[["on?", "new"]], "some: The vantages disagree about 1 mirror. 1 mirror has no verdict yet."],
    [[["off", "off?"]], "offline: 2 of 2 mirrors are offline. The vantages disagree about 1 mirror."],
    [[["on", "off?"]], "some: 1 of 2 mirrors is offline. The vantages disagree about 1 mirror."],
    [[["on"], ["on"]], "online: Both mirrors are reachable."],
    [[["on", "off"], ["on"]], "some: 1 of 3 mirrors is offline. Every target still has a reachable mirror."],
    [[["new", "off"], ["on"]], "some: 1 of 3 mirrors is offline. 1 mirror has no verdict yet."],
    [[["off"], ["on"]], "offline: No mirror of t0 is reachable. 1 of 2 mirrors is offline."],
    [[["off"], ["off"], ["on"]], "offline: No mirror of t0 or t1 is reachable. 2 of 3 mirrors are offline."],
    [
      [["off"], ["off"], ["off"], ["off"], ["on"]],
      "offline: 4 of 5 targets have no reachable mirror. 4 of 5 mirrors are offline.",
    ],
    [[["behind", "on"]], "online: Both mirrors are reachable. 1 mirror is behind."],
    [
      [["differs", "differs", "maintenance"]],
      "online: All 3 mirrors are reachable. 2 mirrors differ. 1 mirror is in maintenance.",
    ],
  ] satisfies [Sort[][], string][])("of the overview: %j", (targets, line) => {
    expect(lineOf(targets, "run")).toBe(line);
  });

  test("of other pages says nothing of the last run, and neither all nor both if there are several vantages", () => {
    expect(lineOf([["on", "on?"]], "day")).toBe("online: Both mirrors are reachable.");
    expect(lineOf([["on", "on?"]], "day", 2)).toBe("online: No mirror is offline.");
    expect(lineOf([["off", "off?"]], "day", 2)).toBe("offline: No mirror is reachable.");
    expect(lineOf([["on"]], "day", 2)).toBe("online: The only mirror is reachable.");
  });

  const targets = fc.array(fc.array(fc.constantFrom(...sorts), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  });

  test.each(Object.entries({ english, german }))(
    "says all or both only if every mirror has a verdict and the vantages agree: %s",
    (_, words) => {
      fc.assert(
        fc.property(
          targets,
          fc.constantFrom("run" as const, "day" as const),
          fc.integer({ min: 1, max: 2 }),
          (all, mode, n) => {
            const kinds = all.flat();
            const isDisputed = mode === "run" ? kinds.some((kind) => kind.endsWith("?")) : n > 1;
            const isOffline = kinds.some((kind) => kind.startsWith("off"));
            const isMixed = isOffline && !kinds.every((kind) => kind.startsWith("off"));
            if (kinds.includes("new") || isDisputed || isMixed)
              expect(lineOf(all, mode, n, words)).not.toMatch(/\b(?:all|both|alle|beide)\b/i);
          },
        ),
      );
    },
  );

  test("before any mirror was reached says that nothing is known", () => {
    const summary = summarize({ ...known, everReached: false }, [targetOf("t", ["off", "off"])]);
    expect(summary).toMatchObject({ shape: "unknown", sentence: "Nothing is known yet." });
  });
});

test.each([
  [["on", "on"], "online"],
  [["off", "off"], "offline"],
  [["new"], "unknown"],
  [["on", "off"], "some"],
  [["on", "new"], "some"],
  [["off", "new"], "unknown"],
] satisfies [Sort[], string][])("the shape of a target of %j is %s", (nodes, shape) => {
  expect(targetShape(known, targetOf("t", nodes))).toBe(shape);
});

test("a mirror has each of its states, the worst first, and exactly one verdict", () => {
  const node = nodeOf("behind");
  const soon = { ...node, maintenance: "new disks", tls_expires_at: "2026-11-23T00:00:00.000Z" };
  expect(statesOf(feed, soon)).toEqual(["behind", "maintenance", "certificate", "online"]);
  expect(statesOf(feed, nodeOf("off"))).toEqual(["offline"]);
  expect(statesOf(feed, nodeOf("new"))).toEqual(["unknown"]);
  expect(statesOf({ ...feed, everReached: false }, nodeOf("on"))).toEqual(["unknown"]);
});

test("the names of refs are shown without characters that a page obeys", () => {
  const names = { missing: ["refs/tags/v1\u202e"], extra: [], different: ["refs/heads/\u0085a\u2028"] };
  expect(differenceText(english, { missing: 7, extra: 0, different: 1, names })).toBe(
    "7 refs missing (v1\\u202e, …), 1 ref different (\\u0085a\\u2028)",
  );
});

test("the same event on three nodes of a host is one group, on two nodes it is two", () => {
  const nodes = nodesOf(targetsOf(feed.systems)).slice(0, 10);
  const failed = nodes.map((node) => ({ ...node, status: 0 as const, code: node.id <= 4 ? "dns" : "tls" }));
  const groups = groupByHost(failed);
  expect(groups.map(([node, ...others]) => [node.host, node.id, others.length])).toEqual([
    ["git.vdm.dev", 1, 0],
    ["git.vdm.dev", 3, 0],
    ["github.com", 2, 0],
    ["github.com", 4, 0],
    ["git.vdm.dev", 5, 2],
    ["github.com", 6, 2],
  ]);
});
