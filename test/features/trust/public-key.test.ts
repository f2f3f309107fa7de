import { hash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { check, type CheckOptions } from "../../../src/features/pick/check-command.ts";
import { pick } from "../../../src/features/pick/pick-command.ts";
import { loadPublicKey } from "../../../src/features/trust/query.ts";
import { sentence } from "../../support/command-context.ts";
import { feedContext } from "../../support/feed-context.ts";
import {
  contractOf,
  feedOf,
  heartbeatOf,
  mirror,
  page,
  type Routes,
  serve,
  serveRoutes,
  target,
} from "../../support/serving.ts";
import { commentOf, key, otherKey, signedFields, signedRoutes } from "../../support/signing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const mirrors = [mirror(1, 1), mirror(2, 0)];
const heartbeat = { document: heartbeatOf(mirrors, { site_url: signedFields.feed }) };
const feed: Routes = { ...feedOf(mirrors), "/v1/report/": heartbeat };
const network = `/v1/network/${target}/`;
const base64 = key.publicKey.split("\n")[1] ?? "";

async function run(url: string, options: Partial<CheckOptions> = {}, context = feedContext()) {
  const code = await check(
    url,
    target,
    { min: 1, timeout: 5000, publicKey: base64, site: signedFields.feed, ...options },
    context.context,
  );
  return { code, printed: context.printed(), logged: context.logged() };
}

function fileOf(text: string): string {
  const file = join(temporaryFolder(), "mirrorfeed.pub");
  writeFileSync(file, text);
  return file;
}

const signed = signedRoutes(feed);

function documentText(document: unknown): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}

/** Serves routes that a test may replace. */
async function serveChanging(routes: Routes): Promise<{ url: string; routes: Routes }> {
  const { url } = await serve((exchange) => {
    const found = served.routes[exchange.path] ?? page(404);
    if (typeof found === "function") return found(exchange);
    exchange.response.end(documentText(found.document));
  });
  const served = { url, routes };
  return served;
}

describe("--public-key", () => {
  test("is the file of a key, of several, or the line of one", async () => {
    const { url } = await serveRoutes(signedRoutes(feed));
    for (const publicKey of [base64, fileOf(key.publicKey), fileOf(otherKey.publicKey + key.publicKey)])
      expect(await run(url, { publicKey })).toMatchObject({ code: 0, logged: "" });
    const picked = feedContext();
    const options = { format: "url", timeout: 5000, publicKey: base64, site: signedFields.feed } as const;
    expect(await pick(url, target, options, picked.context)).toBe(0);
    expect(picked.printed()).toBe(mirrors[0]?.url);
  });

  const [missing, invalid] = ["does not exist", "is not a minisign public key"];
  test.each<[string, () => string, string]>([
    ["a missing file", () => "no.pub", missing],
    ["a line that was cut off", () => base64.slice(1), missing],
    ["the secret key", () => fileOf(key.secretKey), invalid],
    ["an empty file", () => fileOf(""), invalid],
    ["a line with another algorithm", () => `RWX${base64.slice(3)}`, invalid],
  ])("refuses %s", async (_, given, problem) => {
    expect(await sentence(loadPublicKey(given()))).toContain(
      `${problem}; give --public-key the file mirrorfeed.pub`,
    );
  });

  test("causes no warning of Node.js, however often it asks", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { url } = await serveRoutes(signedRoutes(feed, { [network]: { document: contractOf([]) } }));
    expect(await run(url)).toMatchObject({ code: 4 });
    await setImmediate();
    expect(warnings).toEqual([]);
  });

  test.each<[string, Routes, string]>([
    ["is not signed", feed, "The feed is not signed, but --public-key requires a signature."],
    [
      "has another signature",
      signedRoutes(feed, { "/SHA256SUMS.minisig": signedRoutes({})["/SHA256SUMS.minisig"] }),
      "The feed's signature is damaged, or was not made with this key.",
    ],
    [
      "is being published",
      signedRoutes(feed, { [network]: { document: contractOf([]) } }),
      "A document does not match the feed's signature; this can happen while the host publishes a new feed.",
    ],
  ])(
    "makes a feed unknown that %s, unless another feed or a cached answer can be used, which is said",
    async (_, routes, reason) => {
      const bad = await serveRoutes(routes);
      expect(await run(bad.url)).toEqual({ code: 4, printed: "", logged: `Unknown: ${reason}` });

      const good = await serveRoutes(signedRoutes(feed));
      const second = await run(bad.url, { feed: [`${good.url}/`] });
      expect(second).toMatchObject({ code: 0, logged: `Warning: ${bad.url}/: ${reason}` });

      const served = await serveChanging(signedRoutes(feed));
      const context = feedContext();
      expect(await run(served.url, {}, context)).toMatchObject({ code: 0, logged: "" });
      served.routes = routes;
      const cached = await run(served.url, {}, context);
      expect(cached.code).toBe(0);
      expect(cached.logged).toContain(`Warning: ${reason} Using its answer of 2026-03-10T12:00:00.000Z`);
    },
  );

  test.each([1, 2])("takes no older run of %d feeds than before with the key", async (count) => {
    const runAt = (generated_at: string): Routes => {
      const document = heartbeatOf(mirrors, { generated_at, site_url: signedFields.feed });
      const comment = commentOf({ ...signedFields, generated_at });
      return signedRoutes({ ...feed, "/v1/report/": { document } }, {}, comment);
    };
    const [older, newer] = ["2026-03-10T11:59:00.000Z", "2026-03-10T12:00:00.000Z"];
    const context = feedContext();
    const served = await serveChanging(runAt(newer));
    const { url } = served;
    const more = { feed: count === 1 ? [] : [`${url}/`] };
    expect(await run(url, { ...more, publicKey: undefined }, context)).toMatchObject({ code: 0 });
    served.routes = runAt(older);
    expect(await run(url, more, context)).toMatchObject({ code: 0, logged: "" });
    served.routes = runAt(newer);
    expect(await run(url, more, context)).toMatchObject({ code: 0, logged: "" });
    served.routes = runAt(older);
    const { code, logged } = await run(url, more, context);
    expect([code, logged]).toEqual([0, expect.stringContaining("The feed is older than one seen before.")]);
    expect(logged).toContain(` ${newer}, which is valid until ${signedFields.expires_at}.`);
  });

  test("replaces a damaged document in the cache, although the server says that it has not changed", async () => {
    const { url } = await serve(({ path, request, response }) => {
      const found = signed[path];
      const text = typeof found === "object" ? documentText(found.document) : "";
      const etag = `"${hash("sha256", text)}"`;
      const isKnown = request.headers["if-none-match"] === etag;
      response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : text);
    });
    const context = feedContext();
    expect(await run(url, {}, context)).toMatchObject({ code: 0 });
    const folder = join(context.context.environment["XDG_CACHE_HOME"] ?? "", "mirrorfeed");
    for (const file of readdirSync(folder).map((name) => join(folder, name)))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("mirror 1", "mirror 3"));
    expect(await run(url, {}, context)).toMatchObject({ code: 0, logged: "" });
  });

  test("takes no cached answer that another key signed, or none", async () => {
    const context = feedContext();
    const served = await serveChanging(feed);
    const { url } = served;
    expect(await run(url, { publicKey: undefined }, context)).toMatchObject({ code: 0 });
    served.routes = {};
    expect(await run(url, { publicKey: undefined }, context)).toMatchObject({ code: 0 });
    expect(await run(url, {}, context)).toMatchObject({ code: 4 });
  });
});
