import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mirrorStates } from "../../../src/core/verdict/mirror-state.ts";
import { freshnesses, rank, type Rankable, spread } from "../../../src/core/verdict/rank.ts";

const at = "2026-03-10T12:00:00.000Z";

/** The time this many hours before the run. */
function ago(hours: number): string {
  return new Date(Date.parse(at) - hours * 3_600_000).toISOString();
}

const behindFor = (hours: number, state: "online" | "behind" = "behind") => {
  return { freshness: "behind", state, behind_since: ago(hours) } as const;
};
const up = (ratio: number) => ({ uptime: { "7d": { ratio } } });

type Known = Partial<Rankable>;

/** Numbers the nodes from 1 and returns their ids in rank order. */
function ranked(nodes: readonly Known[], country?: string): number[] {
  const rankable = nodes.map((known, index) => ({
    ...{ id: index + 1, status: 1 as const, state: "online" as const, freshness: "in_sync" },
    ...known,
  }));
  return rank(rankable, at, country).map(({ id }) => id);
}

// Each row is worse than the row before it, whatever else is better about it.
const worstLast: readonly (readonly [string, Known])[] = [
  ["the primary", { primary: true, mean_latency_ms: 5 }],
  ["a copy that answers as fast", { mean_latency_ms: 7 }],
  ["one that answers slower", { primary: true, mean_latency_ms: 8 }],
  ["one without a latency", { primary: true }],
  ["one of another country", { primary: true, country: "FR", mean_latency_ms: 1 }],
  ["one that has just come back", { since: ago(5), mean_latency_ms: 1 }],
  ["one that failed more than one run in twenty", { ...up(0.94), mean_latency_ms: 1 }],
  ["one that failed more than one run in five", { ...up(0.79), mean_latency_ms: 1 }],
  ["one that did, and has just come back", { ...up(0.79), since: ago(1), mean_latency_ms: 1 }],
  ["one that still has time to follow", behindFor(2, "online")],
  ["one of unknown freshness", { freshness: "unknown" }],
  ["one whose freshness this version does not know", { freshness: "new", primary: false, country: "FR" }],
  ["one that fell behind", behindFor(30)],
  ["one that fell behind earlier", behindFor(31)],
  ["one that has been behind since nobody knows when", { freshness: "behind", state: "behind" }],
  ["one that differs", { freshness: "differs", state: "differs" }],
  ["one that a notice names", { notice: "new-disks" }],
  ["one in maintenance", { maintenance: "disks", state: "maintenance" }],
  ["one that no run has observed", { state: "unknown" }],
  ["one whose status is not verified", { unverified_since: ago(30), maintenance: "disks" }],
  ["one with wrong content", { content_code: "expired", state: "wrong" }],
  ["one that is offline", { status: 0, state: "offline", mean_latency_ms: 1 }],
];

describe("a network is ranked with", () => {
  const places = worstLast.map(([, known]) => ({ country: "DE", ...known }));

  test.each(worstLast.slice(1).map(([name], index) => [name, worstLast[index]?.[0] ?? "", index] as const))(
    "%s after %s",
    (_, __, index) => {
      expect(ranked(places.slice(index, index + 2).reverse(), "DE")).toEqual([2, 1]);
    },
  );

  test("equals in the order of the network", () => {
    expect(ranked([{}, {}, {}])).toEqual([1, 2, 3]);
    expect(ranked([{ mean_latency_ms: 127 }, { mean_latency_ms: 64 }])).toEqual([1, 2]);
    expect(ranked([{ mean_latency_ms: 1 }, { mean_latency_ms: 0 }])).toEqual([1, 2]);
    // Missing less than an hour of the reference's content is no fault, whatever the state.
    expect(ranked([behindFor(0.9), {}, behindFor(0.5, "online")])).toEqual([1, 2, 3]);
    expect(ranked([behindFor(3, "online"), behindFor(20, "online")])).toEqual([1, 2]);
    expect(ranked([up(0.99), {}, up(1), { since: ago(6) }])).toEqual([1, 2, 3, 4]);
    expect(ranked([up(0.98), { since: ago(5.9) }])).toEqual([1, 2]);
    expect(ranked([{ notice: undefined, maintenance: undefined }, {}])).toEqual([1, 2]);
  });

  test("no country before another if none is asked for", () => {
    expect(ranked([{ country: "FR" }, { country: "DE" }])).toEqual([1, 2]);
  });
});

const rankable: fc.Arbitrary<Rankable> = fc.record(
  {
    status: fc.constantFrom(0 as const, 1 as const),
    state: fc.constantFrom(...mirrorStates),
    since: fc.constantFrom(ago(1), ago(9)),
    freshness: fc.constantFrom(...freshnesses),
    behind_since: fc.constantFrom(ago(0.5), ago(2), ago(40)),
    content_code: fc.constant("expired"),
    unverified_since: fc.constant(ago(30)),
    maintenance: fc.constant(true),
    notice: fc.constant(true),
    primary: fc.boolean(),
    uptime: fc.constantFrom(...[0, 0.9, 1].map((ratio) => ({ "7d": { ratio } })), { "7d": {} }),
    mean_latency_ms: fc.nat(300),
    country: fc.constantFrom("DE", "FR"),
  },
  { requiredKeys: ["status"] },
);

test("the ranking is a total order, whatever is missing, and leaves equals where they are", () => {
  fc.assert(
    fc.property(fc.array(rankable, { maxLength: 8 }), fc.constantFrom("DE", undefined), (drawn, country) => {
      const order = rank(drawn, at, country);
      const place = new Map(drawn.map((one, index) => [one, index]));
      for (const [index, one] of order.entries())
        for (const other of order.slice(index + 1)) {
          // Antisymmetric and transitive: each pair has the order that it has in the whole.
          expect(rank([one, other], at, country)).toEqual([one, other]);
          const isEqual = rank([other, one], at, country)[0] === other;
          if (isEqual) expect(place.get(one) ?? 0).toBeLessThan(place.get(other) ?? 0);
        }
    }),
  );
});

describe("a draw", () => {
  const mirrors = [
    { id: 1, status: 1 as const, mean_latency_ms: 5 },
    { id: 2, status: 1 as const, weight: 3 },
    { id: 3, status: 1 as const, freshness: "in_sync", weight: 2 },
    { id: 4, status: 1 as const, freshness: "in_sync", mean_latency_ms: 700 },
    { id: 5, status: 0 as const, freshness: "in_sync", weight: 1000 },
  ];
  const drawn = (random: number): number[] => spread(rank(mirrors, at), random, at).map(({ id }) => id);

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
      const order = spread(equals, draw / 800, at);
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
    expect(spread(rank(placed, at, "DE"), 0.99, at, "DE")).toEqual(placed);
    expect(spread([{ status: 0 as const }], 0.5, at)).toEqual([{ status: 0 }]);
    expect(spread([], 0.5, at)).toEqual([]);
  });
});
