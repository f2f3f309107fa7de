import { describe, expect, test } from "vitest";
import { type Mirror, pick, type PickOptions, type PickResult } from "../../src/client/index.ts";
import { feedOf, mirror, type Routes, serveRoutes, soon, target } from "../support/serving.ts";

async function pickFrom(routes: Routes, options: PickOptions = {}): Promise<PickResult> {
  return pick((await serveRoutes(routes)).url, target, { now: () => soon, ...options });
}

function idsOf(result: PickResult): number[] {
  return (result.mirrors ?? []).map(({ id }) => id);
}

/** The time this many hours before the feed's last run. */
function hoursAgo(hours: number): string {
  return new Date(Date.parse("2026-03-10T12:00:00.000Z") - hours * 3_600_000).toISOString();
}

describe("the order", () => {
  const cases: [string, Mirror[], number[]][] = [
    [
      "in sync, not quite, unknown, behind, different, wrong",
      [
        mirror(1, 1, { freshness: "unknown", mean_latency_ms: 1 }),
        mirror(2, 1, { freshness: "differs", mean_latency_ms: 2 }),
        mirror(3, 1, { freshness: "behind", state: "online", behind_since: hoursAgo(2), mean_latency_ms: 4 }),
        mirror(4, 1, { freshness: "in_sync", mean_latency_ms: 8 }),
        mirror(5, 0, { freshness: "in_sync", mean_latency_ms: 0 }),
        mirror(6, 1, { state: "wrong", freshness: "in_sync", content_code: "expired" }),
        mirror(7, 1, { freshness: "behind", state: "behind", behind_since: hoursAgo(48) }),
        mirror(8, 1, { freshness: "behind", state: "behind", behind_since: hoursAgo(47) }),
        mirror(9, 1, { freshness: "behind", behind_since: hoursAgo(0.5), mean_latency_ms: 1 }),
      ],
      [9, 4, 3, 1, 8, 7, 2, 6, 5],
    ],
    [
      "the steady first, and last one that a notice names",
      [
        mirror(1, 1, { notice: true }),
        mirror(2, 1, { uptime: { "7d": { ratio: 0.8 } }, mean_latency_ms: 1 }),
        mirror(3, 1, { since: hoursAgo(1), mean_latency_ms: 1 }),
        mirror(4, 1, { since: hoursAgo(7), uptime: { "7d": { ratio: 0.99 } } }),
      ],
      [4, 3, 2, 1],
    ],
    [
      "the faster first",
      [mirror(1, 1, { mean_latency_ms: 900 }), mirror(2, 1, { mean_latency_ms: 3 })],
      [2, 1],
    ],
    [
      "primary, unverified and in maintenance",
      [
        mirror(1, 1, { freshness: "in_sync", unverified_since: "2026-03-09T12:00:00.000Z" }),
        mirror(2, 1, { maintenance: true }),
        mirror(3, 1),
        mirror(4, 1, { primary: true }),
      ],
      [4, 3, 2, 1],
    ],
  ];

  test.each(cases)("%s", async (_, mirrors, expected) => {
    const result = await pickFrom(feedOf(mirrors));
    expect(idsOf(result)).toEqual(expected);
    expect(result).toMatchObject({ outcome: "reachable", mirror: { id: expected[0] } });
  });
});

describe("hosts that are excluded", () => {
  const mirrors = [
    mirror(1, 1, { url: "https://git.example.org/a" }),
    mirror(2, 1, { url: "https://git.example.org:8443/a" }),
    mirror(3, 1, { url: "http://other.example.org/a" }),
    mirror(4, 1, { url: "http://[::1]:3000/a" }),
  ];

  test.each([
    [["git.example.org"], [3, 4]],
    [
      ["GIT.example.org:8443", "other.example.org:80", "example.org"],
      [1, 4],
    ],
    [["git.example.org", "other.example.org", "[::1]:3000"], []],
  ])("%j leave %j", async (exclude, expected) => {
    const result = await pickFrom(feedOf(mirrors), { exclude });
    expect(idsOf(result)).toEqual(expected);
    expect(result.outcome).toBe(expected.length > 0 ? "reachable" : "unreachable");
  });

  test.each(["a b", "https://git.example.org/a", "git.example.org/a", "user@git.example.org", ":80", ""])(
    "must be hosts, and %j is none",
    async (host) => {
      await expect(pickFrom(feedOf(mirrors), { exclude: [host] })).rejects.toThrow(TypeError);
    },
  );

  test("must be a list", async () => {
    const options: object = { exclude: "git.example.org" };
    await expect(pickFrom(feedOf(mirrors), options)).rejects.toThrow(new TypeError("Invalid exclude"));
  });
});

describe("mirrors of a country", () => {
  const mirrors = [
    mirror(1, 1, { country: "FR", freshness: "in_sync" }),
    mirror(2, 1, { country: "DE", freshness: "in_sync", mean_latency_ms: 900 }),
    mirror(3, 1, { country: "DE", freshness: "behind" }),
    mirror(4, 0, { country: "DE", freshness: "in_sync" }),
  ];

  test.each([
    [undefined, [2, 1, 3, 4]],
    ["fr", [1, 2, 3, 4]],
  ])("%s are preferred among equally good ones", async (country, expected) => {
    expect(idsOf(await pickFrom(feedOf(mirrors), { country }))).toEqual(expected);
  });

  test.each(["Germany", "D", "", "1a"])("must not be %j", async (country) => {
    await expect(pickFrom(feedOf(mirrors), { country })).rejects.toThrow(new TypeError("Invalid country"));
  });
});

describe("a draw", () => {
  const mirrors = [
    mirror(1, 1, { freshness: "in_sync", weight: 3, mean_latency_ms: 5 }),
    mirror(2, 1, { freshness: "in_sync", mean_latency_ms: 900, country: "DE" }),
    mirror(3, 1, { freshness: "behind", weight: 1000 }),
    mirror(4, 0, { freshness: "in_sync", weight: 1000 }),
  ];

  test.each([
    [0, {}, [1, 2, 3, 4]],
    [0.76, {}, [2, 1, 3, 4]],
    [0.99, { exclude: ["mirror-2.example.org"] }, [1, 3, 4]],
  ])("of %d with %j is by weight among the best", async (random, options, expected) => {
    const result = await pickFrom(feedOf(mirrors), { spread: true, random: () => random, ...options });
    expect(idsOf(result)).toEqual(expected);
    expect(result).toMatchObject({ outcome: "reachable", mirror: { id: expected[0] } });
  });

  test("never picks an unreachable mirror, nor fails without one", async () => {
    const down = await pickFrom(feedOf([mirror(1, 0), mirror(2, 0)]), { spread: true, random: () => 0.9 });
    expect(down).toMatchObject({ outcome: "unreachable", mirrors: [{ id: 2 }, { id: 1 }] });
    expect(await pickFrom(feedOf([]), { spread: true })).toMatchObject({ outcome: "unreachable" });
  });
});
