import { describe, expect, test } from "vitest";
import { check, type CheckOptions, type CheckResult, pick } from "../../src/client/index.ts";
import {
  contractOf,
  documentText,
  expiry,
  feedOf,
  heartbeatOf,
  mirror,
  page,
  reportOf,
  type Routes,
  type Served,
  serveRoutes,
  soon,
  target,
} from "../support/serving.ts";
import { commentOf, key, otherKey, signedFields, signedRoutes } from "../support/signing.ts";

const mirrors = [mirror(1, 1), mirror(2, 0)];
const feed: Routes = {
  ...feedOf(mirrors),
  "/v1/report/": { document: heartbeatOf(mirrors, { site_url: signedFields.feed }) },
};
const trusting = { now: () => soon, publicKey: key.publicKey, site: signedFields.feed };
const [network, heartbeat, report] = [`/v1/network/${target}/`, "/v1/report/", `/v1/report/${target}/`];
const forged = [mirror(1, 1, { url: "https://evil.example.org/" })];
const without = (path: string): Routes =>
  Object.fromEntries(Object.entries(feed).filter(([one]) => one !== path));

const otherRun = heartbeatOf(mirrors, { run: "r2" });
const huge: Served = { document: heartbeatOf(mirrors, { nodes: ["x".repeat(2_000_000)] }) };
const denied: Served = { status: 403, document: { error: "Target not found" } };

/** The signed feed, with another answer at a path. */
function changed(path: string, answer: Served): Routes {
  return signedRoutes(feed, { [path]: answer });
}

/** The feed with another trusted comment. */
function commented(fields: Partial<typeof signedFields>): Routes {
  return signedRoutes(feed, {}, commentOf({ ...signedFields, ...fields }));
}

async function checkRoutes(routes: Routes, options: CheckOptions = {}): Promise<CheckResult> {
  const { url } = await serveRoutes(routes);
  return check(url, target, { ...trusting, ...options });
}

describe("a feed that must be signed", () => {
  test("is used if it is", async () => {
    expect(await checkRoutes(signedRoutes(feed))).toMatchObject({ outcome: "reachable", count: 1 });
    const publicKey = otherKey.publicKey + key.publicKey;
    expect(await checkRoutes(signedRoutes(feed), { publicKey })).toMatchObject({ outcome: "reachable" });
    const { url } = await serveRoutes(signedRoutes(feed));
    expect(await pick(url, target, trusting)).toMatchObject({ mirror: { id: 1 } });
  });

  test.each<[string, string, Routes, CheckOptions?]>([
    ["it has no signature", "unsigned", feed],
    ["only the sums are there", "unsigned", changed("/SHA256SUMS.minisig", page(404))],
    ["the signature cannot be had now", "http_status", changed("/SHA256SUMS", page(503))],
    ["a page answers instead of the signature", "bad_signature", changed("/SHA256SUMS.minisig", page(200))],
    ["another key signed it", "bad_signature", signedRoutes(feed), { publicKey: otherKey.publicKey }],
    ["the signature belongs to another run", "bad_signature", commented({ run: "r2" })],
    ["the signature expires later", "bad_signature", commented({ expires_at: "2030-01-01T00:00:00Z" })],
    ["it was signed without a heartbeat", "bad_signature", signedRoutes(without(heartbeat))],
    ["it has expired", "expired", signedRoutes(feed), { now: () => expiry }],
    ["it is older than wanted", "too_old", signedRoutes(feed), { maxAgeMs: 1 }],
    ["a mirror was changed", "bad_digest", changed(network, { document: contractOf(forged) })],
    ["the report was changed", "bad_digest", changed(report, { document: reportOf(forged) })],
    ["the heartbeat was changed", "bad_digest", changed(heartbeat, { document: otherRun })],
    ["a report was added", "bad_digest", signedRoutes(without(report), { [report]: feed[report] })],
    ["the report is withheld", "http_status", changed(report, page(404))],
    ["the heartbeat is withheld", "http_status", changed(heartbeat, page(500))],
    ["the target is denied", "http_status", changed(network, denied)],
    [
      "a document is too large to be read as a whole",
      "too_large",
      signedRoutes({ ...feed, [heartbeat]: huge }),
    ],
  ])("is not if %s", async (_, reason, routes, options) => {
    expect(await checkRoutes(routes, options)).toMatchObject({ outcome: "unknown", reason });
  });

  test("says that it has no such target only if none is signed", async () => {
    expect(await checkRoutes(signedRoutes(without(network), { [network]: denied }))).toMatchObject({
      outcome: "not_found",
      level: "target",
    });
  });

  test.each([
    ["the target", network, "bad_digest"],
    ["the signature", "/SHA256SUMS.minisig", "bad_signature"],
  ])("is asked once more if the host mixes in %s of another run", async (_, path, reason) => {
    const asked: (string | undefined)[] = [];
    const routes = signedRoutes(feed);
    const mixed = { ...routes, [path]: signedRoutes(feedOf(forged))[path] };
    const { url } = await serveRoutes({});
    const answering = (from: (round: number) => Routes) => (requested: string, init: { cache?: string }) => {
      asked.push(init.cache);
      const served = from(init.cache === undefined ? 1 : 2)[requested.slice(url.length)];
      if (typeof served !== "object") throw new Error(`${requested} was requested`);
      return Promise.resolve(new Response(documentText(served)));
    };
    const once = await check(url, target, {
      ...trusting,
      fetch: answering((round) => (round === 1 ? mixed : routes)),
    });
    expect(once).toMatchObject({ outcome: "reachable", count: 1 });
    expect(asked.splice(0)).toContain("reload");
    const always = await check(url, target, { ...trusting, fetch: answering(() => mixed) });
    expect(always).toMatchObject({ outcome: "unknown", reason });
    expect(asked.filter((cache) => cache === "reload").length).toBeLessThanOrEqual(5);
  });

  test.each(["", "x", key.secretKey])("needs a valid key, not %j", async (publicKey) => {
    await expect(checkRoutes(signedRoutes(feed), { publicKey })).rejects.toThrow(
      new TypeError("Invalid publicKey"),
    );
  });
});

test("a feed of another site with the same key is used only if it is the first, or named", async () => {
  const signedFor = (feedUrl: string): Routes =>
    signedRoutes(
      { ...feed, [heartbeat]: { document: heartbeatOf(mirrors, { site_url: feedUrl }) } },
      {},
      commentOf({ ...signedFields, feed: feedUrl }),
    );
  const routes: Record<string, Served | undefined> = {};
  const { url } = await serveRoutes(routes);
  const addFeed = (name: string, site: string): void => {
    for (const [path, served] of Object.entries(signedFor(site))) routes[`/${name}${path}`] = served;
  };
  const [staging, production] = [`${url}/staging`, `${url}/production`];
  addFeed("staging", staging);
  addFeed("production", production);
  addFeed("copy", production);
  const ask = async (urls: string | string[], site?: string) => {
    const options = { now: () => soon, publicKey: key.publicKey, site };
    const { outcome, reason, passed_over = [] } = await check(urls, target, options);
    return [outcome, reason, ...passed_over.map((one) => one.reason)];
  };
  expect(await ask(`${staging}/`)).toEqual(["reachable", undefined]);
  expect(await ask(staging, production)).toEqual(["unknown", "other_site"]);
  expect(await ask(`${url}/copy`)).toEqual(["unknown", "other_site"]);
  expect(await ask(`${url}/copy`, `${production}/`)).toEqual(["reachable", undefined]);
  expect(await ask([`${url}/gone`, staging])).toEqual(["unknown", "unsigned", "unsigned", "other_site"]);
  delete routes["/production/SHA256SUMS"];
  expect(await ask([production, `${url}/copy`])).toEqual(["reachable", undefined, "unsigned"]);
});

test("without a key, no signature is asked for", async () => {
  const refusing = { "/SHA256SUMS": page(500), "/SHA256SUMS.minisig": page(500) };
  expect(await checkRoutes({ ...feed, ...refusing }, { publicKey: undefined })).toMatchObject({
    outcome: "reachable",
  });
});
