import { describe, expect, test } from "vitest";
import { pick, type PickOptions, type PickResult } from "../../src/client/index.ts";
import { feedOf, mirror, type Routes, serveRoutes, soon, target } from "../support/serving.ts";

async function pickFrom(routes: Routes, options: PickOptions = {}): Promise<PickResult> {
  return pick((await serveRoutes(routes)).url, target, { now: () => soon, ...options });
}

function idsOf(result: PickResult): number[] {
  return (result.mirrors ?? []).map(({ id }) => id);
}

test("each field of the report that the ranking uses makes a mirror worse", async () => {
  const best = { freshness: "in_sync" as const, mean_latency_ms: 9 };
  const behind_since = "2026-03-08T12:00:00.000Z";
  const worstFirst = [
    { state: "wrong" as const, content_code: "expired" },
    { unverified_since: "2026-03-09T12:00:00.000Z" },
    { maintenance: true as const },
    { notice: true as const },
    { freshness: "behind" as const, state: "behind" as const, behind_since },
    { uptime: { "7d": { ratio: 0.7 } } },
    { since: "2026-03-10T11:00:00.000Z" },
    { mean_latency_ms: 900 },
    {},
    { primary: true as const },
  ];
  const mirrors = worstFirst.map((more, index) => mirror(index + 1, 1, { ...best, ...more }));
  expect(idsOf(await pickFrom(feedOf(mirrors)))).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
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

test.each([
  [undefined, [2, 1, 3, 4]],
  ["fr", [1, 2, 3, 4]],
])("mirrors of the country %s are preferred among equally good ones", async (country, expected) => {
  const mirrors = [
    mirror(1, 1, { country: "FR", freshness: "in_sync" }),
    mirror(2, 1, { country: "DE", freshness: "in_sync", mean_latency_ms: 900 }),
    mirror(3, 1, { country: "DE", freshness: "behind" }),
    mirror(4, 0, { country: "DE", freshness: "in_sync" }),
  ];
  expect(idsOf(await pickFrom(feedOf(mirrors), { country }))).toEqual(expected);
});

describe("a draw", () => {
  const mirrors = [
    mirror(1, 1, { freshness: "in_sync", weight: 3, mean_latency_ms: 5 }),
    mirror(2, 1, { freshness: "in_sync", mean_latency_ms: 900, country: "DE" }),
    mirror(3, 0, { freshness: "in_sync", weight: 1000 }),
  ];

  test.each([
    [0.76, {}, [2, 1, 3]],
    [0.99, { exclude: ["mirror-2.example.org"] }, [1, 3]],
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
