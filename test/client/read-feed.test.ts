import { describe, expect, test } from "vitest";
import { check, type CheckOptions, type CheckResult, pick } from "../../src/client/index.ts";
import type { Handler } from "../support/mirror-server.ts";
import { misbehaviours as lab } from "../support/misbehaviours.ts";
import {
  contractOf,
  expiry,
  feedOf,
  heartbeatOf,
  madeAt,
  mirror,
  page,
  type Routes,
  soon,
  target,
  urlOf,
} from "../support/serving.ts";

const mirrors = [mirror(1, 1), mirror(2, 0)];
const site_url = "https://status.example.org";
const minute = 60_000;
const networkPath = `/v1/network/${target}/`;

/** Returns a feed whose run and expiry are this many minutes later than usual. */
function feedAt(minutes: number, more: object = {}): Routes {
  const [generated_at, expires_at] = [madeAt, expiry].map((at) =>
    new Date(at + minutes * minute).toISOString(),
  );
  const heartbeat = heartbeatOf(mirrors, { generated_at, expires_at, site_url, ...more });
  return { ...feedOf(mirrors), "/v1/report/": { document: heartbeat } };
}

async function checkAll(
  feeds: readonly (Routes | Handler)[],
  options: CheckOptions = {},
): Promise<{ readonly urls: readonly string[]; readonly result: CheckResult }> {
  const urls = await Promise.all(feeds.map(urlOf));
  return { urls, result: await check(urls, target, { now: () => soon, ...options }) };
}

function reasonsOf({ passed_over = [] }: CheckResult): string[] {
  return passed_over.map(({ reason }) => reason);
}

describe("of several feeds", () => {
  test("the first current one answers, and those before it are named", async () => {
    const { urls, result } = await checkAll([page(200), feedAt(-240), feedAt(0), feedAt(1)]);
    expect(result).toMatchObject({ outcome: "reachable", generated_at: new Date(madeAt).toISOString() });
    expect(result.passed_over).toEqual([
      { url: `${urls[0] ?? ""}/`, reason: "not_contract" },
      { url: `${urls[1] ?? ""}/`, reason: "expired" },
    ]);
    const picked = await pick(urls, target, { now: () => soon });
    expect(picked).toMatchObject({ mirror: { id: 1 }, passed_over: result.passed_over });
  });

  test("the reason is that of the first if none can be used, and what was thrown is kept", async () => {
    const away = await check(["http://127.0.0.1:1", await urlOf(feedAt(-240))], target, { now: () => soon });
    expect(away).toMatchObject({
      outcome: "unknown",
      reason: "no_answer",
      cause: expect.any(TypeError),
      passed_over: [{ reason: "no_answer", cause: expect.any(TypeError) }, { reason: "expired" }],
    });
  });

  test("each has the time limit for itself", async () => {
    const { result } = await checkAll([lab.silent(), feedAt(0)], { timeoutMs: 3000 });
    expect([result.outcome, ...reasonsOf(result)]).toEqual(["reachable", "timeout"]);
  });

  test("the newest that has expired is used, if it may be", async () => {
    const feeds = [feedAt(-300), feedAt(-180), feedAt(-240), page(404)];
    const allowed = { maxStaleMs: 1000 * minute };
    const { result } = await checkAll(feeds, allowed);
    expect(result).toMatchObject({
      outcome: "reachable",
      stale: true,
      generated_at: new Date(madeAt - 180 * minute).toISOString(),
    });
    expect(reasonsOf(result)).toEqual(["expired", "expired", "expired", "http_status"]);
    const current = await checkAll([...feeds, feedAt(0)], allowed);
    expect(current.result).not.toHaveProperty("stale");
    expect((await checkAll(feeds, { maxStaleMs: minute })).result).toMatchObject({ reason: "expired" });
    const { outcome } = (await checkAll([feedAt(-121)], { maxStaleMs: 2 * minute + 1 })).result;
    const over = (await checkAll([feedAt(-121)], { maxStaleMs: 2 * minute })).result;
    expect([outcome, over.outcome]).toEqual(["reachable", "unknown"]);
  });

  test.each<[string, Routes | Handler, string]>([
    ["of another site", feedAt(1, { site_url: "https://other.example.org" }), "other_site"],
    ["of no site", feedAt(1, { site_url: undefined }), "other_site"],
    ["of the contract alone", { [networkPath]: { document: contractOf(mirrors) } }, "other_site"],
    ["that is older", feedAt(-1), "older"],
  ])("one %s than the one before is passed over", async (_, feed, reason) => {
    const previous = (await checkAll([feedAt(0)])).result;
    expect(previous).toMatchObject({ site_url });
    const { result } = await checkAll([feed, feedAt(0)], { previous });
    expect([result.outcome, ...reasonsOf(result)]).toEqual(["reachable", reason]);
    expect((await checkAll([feed], { previous })).result).toMatchObject({ outcome: "unknown", reason });
  });

  test("a site that could not be a URL is none", async () => {
    const { result } = await checkAll([feedAt(0, { site_url: "\u001b[31m" })]);
    expect(result.outcome).toBe("reachable");
    expect(result).not.toHaveProperty("site_url");
  });

  test("at least one must be named, and each is checked before any is asked", async () => {
    await expect(check([], target)).rejects.toThrow(new TypeError("Invalid url"));
    await expect(check(["http://127.0.0.1:1", "ftp://a.example.org"], target)).rejects.toThrow(
      new TypeError("Invalid url"),
    );
  });
});
