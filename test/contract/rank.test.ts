import { describe, expect, test } from "vitest";
import { rank, type Rankable, spread } from "../../src/contract/rank.ts";

type Known = Partial<Omit<Rankable, "primary" | "country" | "mean_latency_ms">> & { latency?: number };

/** Numbers the nodes from 1 and returns their ids in rank order. */
function ranked(nodes: readonly Known[], primary?: number): number[] {
  const rankable = nodes.map(({ latency, ...known }, index) => ({
    id: index + 1,
    status: 1 as const,
    freshness: "in_sync",
    primary: index + 1 === primary,
    mean_latency_ms: latency,
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
    "in_sync before behind, unknown and differs",
    [{ freshness: "differs" }, { freshness: "unknown" }, { freshness: "behind" }, { freshness: "in_sync" }],
    [4, 3, 2, 1],
  ],
  [
    "one whose content is known to be wrong after all others that are online",
    [
      { content_code: "expired" },
      { maintenance: "disks" },
      { state: "unknown", unverified_since: "2026-01-01T00:00:00.000Z" },
      { status: 0 },
    ],
    [2, 3, 1, 4],
  ],
  [
    "one that no run has observed after those that were",
    [{ state: "unknown" }, { freshness: "behind" }],
    [2, 1],
  ],
  [
    "an offline node that is fresh and fast after an online one that is neither",
    [
      { status: 0, latency: 5 },
      { freshness: "differs", latency: 5000 },
    ],
    [2, 1],
  ],
  [
    "a fresh slow node before a stale fast one",
    [{ freshness: "behind", latency: 5 }, { latency: 5000 }],
    [2, 1],
  ],
  ["the faster ones first", [{ latency: 900 }, { latency: 90 }, { latency: 9 }], [3, 2, 1]],
  [
    "latencies within a power of two in the order of the network",
    [{ latency: 127 }, { latency: 64 }],
    [1, 2],
  ],
  ["those without a latency last", [{}, { latency: 30_000 }, {}], [2, 1, 3]],
  ["a latency below a millisecond like one millisecond", [{ latency: 1 }, { latency: 0 }], [1, 2]],
  ["equals in the order of the network", [{}, {}, {}], [1, 2, 3]],
])("a network is ranked with %s", (_, nodes, order) => {
  expect(ranked(nodes)).toEqual(order);
});

test("the primary comes before its equals, and not before a better one", () => {
  expect(ranked([{}, {}, {}], 3)).toEqual([3, 1, 2]);
  expect(ranked([{}, { latency: 9 }, {}], 3)).toEqual([2, 3, 1]);
  expect(ranked([{}, { status: 0 }], 2)).toEqual([1, 2]);
});

test("mirrors of the country come before equally good ones, not before better ones", () => {
  const mirrors = [
    { id: 1, status: 1 as const, freshness: "in_sync", country: "FR", mean_latency_ms: 5 },
    { id: 2, status: 1 as const, freshness: "in_sync", country: "DE", mean_latency_ms: 900 },
    { id: 3, status: 1 as const, freshness: "behind", country: "DE", mean_latency_ms: 5 },
    { id: 4, status: 0 as const, freshness: "in_sync", country: "DE" },
    { id: 5, status: 1 as const, freshness: "in_sync" },
  ];
  const ids = (country?: string): number[] => rank(mirrors, country).map(({ id }) => id);
  expect(ids()).toEqual([1, 2, 5, 3, 4]);
  expect(ids("DE")).toEqual([2, 1, 5, 3, 4]);
  expect(ids("FR")).toEqual([1, 2, 5, 3, 4]);
});

describe("a draw", () => {
  const mirrors = [
    { id: 1, status: 1 as const, mean_latency_ms: 5 },
    { id: 2, status: 1 as const, weight: 3 },
    { id: 3, status: 1 as const, freshness: "in_sync", weight: 2 },
    { id: 4, status: 1 as const, freshness: "in_sync", mean_latency_ms: 700 },
    { id: 5, status: 0 as const, freshness: "in_sync", weight: 1000 },
  ];
  const drawn = (random: number): number[] => spread(rank(mirrors), random).map(({ id }) => id);

  test("is by weight, among the best class alone", () => {
    expect([drawn(0), drawn(0.3), drawn(0.34), drawn(0.9999)]).toEqual([
      [4, 3, 1, 2, 5],
      [4, 3, 1, 2, 5],
      [3, 4, 1, 2, 5],
      [3, 4, 1, 2, 5],
    ]);
  });

  test("gives each mirror its share, and keeps all of them", () => {
    const equals = [1, 2, 5].map((weight) => ({ status: 1 as const, weight }));
    const counts = new Map<number, number>();
    for (let draw = 0; draw < 800; draw += 1) {
      const order = spread(equals, draw / 800);
      expect(order.map(({ weight }) => weight).sort()).toEqual([1, 2, 5]);
      const weight = order[0]?.weight ?? 0;
      counts.set(weight, (counts.get(weight) ?? 0) + 1);
    }
    expect([...counts]).toEqual([
      [1, 100],
      [2, 200],
      [5, 500],
    ]);
  });

  test("prefers the mirrors of a country, and takes a lone or no mirror as it is", () => {
    const placed = [
      { status: 1 as const, country: "DE" },
      { status: 1 as const, weight: 1000 },
    ];
    expect(spread(rank(placed, "DE"), 0.99, "DE")).toEqual(placed);
    expect(spread([{ status: 0 as const }], 0.5)).toEqual([{ status: 0 }]);
    expect(spread([], 0.5)).toEqual([]);
  });
});
