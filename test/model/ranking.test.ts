import { expect, test } from "vitest";
import { meanLatency, rank, type Rankable } from "../../src/client/rank.ts";

type Known = Partial<Pick<Rankable, "status" | "freshness" | "maintenance">> & {
  /** The mean latency of each of the last days, in milliseconds. */
  latency?: (number | null)[];
};

/** Returns the ids of the nodes, numbered from 1, in the order of their rank. */
function ranked(nodes: readonly Known[], primary?: number): number[] {
  const rankable = nodes.map(({ latency = [], ...known }, index) => ({
    id: index + 1,
    status: 1 as const,
    freshness: "in_sync",
    primary: index + 1 === primary,
    mean_latency_ms: meanLatency(latency),
    ...known,
  }));
  return rank(rankable).map(({ id }) => id);
}

test.each<[string, Known[], number[]]>([
  ["those that are online first", [{ status: 0 }, { status: 1 }], [2, 1]],
  [
    "those in maintenance before those that are offline",
    [{ status: 0 }, { maintenance: "disks" }, {}],
    [3, 2, 1],
  ],
  [
    "in_sync before behind, differs and unknown",
    [{ freshness: "unknown" }, { freshness: "differs" }, { freshness: "behind" }, { freshness: "in_sync" }],
    [4, 3, 2, 1],
  ],
  [
    "an offline node that is fresh and fast after an online one that is neither",
    [
      { status: 0, latency: [5] },
      { freshness: "differs", latency: [5000] },
    ],
    [2, 1],
  ],
  [
    "a fresh slow node before a stale fast one",
    [{ freshness: "behind", latency: [5] }, { latency: [5000] }],
    [2, 1],
  ],
  ["the faster ones first", [{ latency: [900] }, { latency: [90] }, { latency: [9] }], [3, 2, 1]],
  [
    "latencies within a power of two in the order of the network",
    [{ latency: [127] }, { latency: [64] }],
    [1, 2],
  ],
  ["those without a latency last", [{}, { latency: [30_000] }, { latency: [null] }], [2, 1, 3]],
  ["a latency below a millisecond like one millisecond", [{ latency: [1] }, { latency: [0] }], [1, 2]],
  [
    "by the mean of the days that have a latency",
    [{ latency: [null, 400, null] }, { latency: [100, 100, 100] }],
    [2, 1],
  ],
  [
    "by the last seven days",
    [{ latency: [9000, 9, 9, 9, 9, 9, 9, 9] }, { latency: [90, 90, 90, 90, 90, 90, 90, 90] }],
    [1, 2],
  ],
  ["equals in the order of the network", [{}, {}, {}], [1, 2, 3]],
])("a network is ranked with %s", (_, nodes, order) => {
  expect(ranked(nodes)).toEqual(order);
});

test("the primary comes before its equals, and not before a better one", () => {
  expect(ranked([{}, {}, {}], 3)).toEqual([3, 1, 2]);
  expect(ranked([{}, { latency: [9] }, {}], 3)).toEqual([2, 3, 1]);
  expect(ranked([{}, { status: 0 }], 2)).toEqual([1, 2]);
});
