import { expect, test } from "vitest";
import { check, pick } from "../../src/client/index.ts";
import { heartbeatOf, mirror, reportOf, type Routes, serveRoutes, soon, target } from "../support/serving.ts";

/** Adds an unknown field to each object, as a later version might. */
function ofTheFuture(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(ofTheFuture);
  if (typeof document !== "object" || document === null) return document;
  const fields = Object.entries(document).map(([name, value]) => [name, ofTheFuture(value)] as const);
  return { ...Object.fromEntries(fields), schema: { version: 9 }, kinds: ["ipfs", null] };
}

/** Values that a later version might use in fields that this version knows. */
const words = { freshness: "ahead", code: "quota_exceeded", kind: "ipfs", verdict: { confidence: 0.7 } };

const mirrors = [mirror(1, 1), mirror(2, 1, { freshness: "in_sync" }), mirror(3, 0)];

const report = reportOf(mirrors);
const future: Routes = {
  [`/v1/network/${target}/`]: {
    document: ofTheFuture({
      target: "packages",
      network: [
        { id: 9, name: "ipfs", url: "ipfs://bafy/packages", status: 1 },
        ...mirrors.map(({ id, name, url, status }) => ({ id, name, url, status })),
      ],
    }),
  },
  "/v1/report/": {
    document: ofTheFuture({
      ...heartbeatOf(mirrors),
      prober: { state: "degraded", vantages: [{ vantage: "eu", state: "slow" }] },
      nodes: [{ id: 9, code: words.code }, ...mirrors.map(({ id, status }) => ({ id, status, ...words }))],
    }),
  },
  [`/v1/report/${target}/`]: {
    document: ofTheFuture({
      ...report,
      network: [
        { id: 9, status: 1, ...words },
        { id: 1, status: 1, ...words },
        { id: 2, status: 1, ...words, freshness: "in_sync" },
        { id: 3, status: 0, ...words, freshness: "behind", behind_since: { from: "then" } },
      ],
    }),
  },
};

test("a feed of a later version is checked, and its words that are unknown here are an unknown freshness", async () => {
  const { url } = await serveRoutes(future);
  const options = { now: () => soon };
  const seen = [
    { id: 2, freshness: "in_sync" },
    { id: 1, freshness: "unknown", freshness_reason: "undecided" },
    { id: 3, freshness: "behind" },
  ];
  const young = { ...options, fresh: true, maxAgeMs: 3_600_000 };
  const reachable = { outcome: "reachable", mirrors: seen };
  expect(await check(url, target, { ...options, min: 2 })).toMatchObject({ ...reachable, count: 2 });
  expect(await check(url, target, young)).toMatchObject({ ...reachable, count: 1 });
  expect(await pick(url, target, options)).toMatchObject({ outcome: "reachable", mirror: { id: 2 } });
});
