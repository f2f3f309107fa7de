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
  documentText,
  feedOf,
  heartbeatOf,
  mirror,
  type Routes,
  serve,
  serveRoutes,
  target,
} from "../../support/serving.ts";
import { key, otherKey, signedFields, signedRoutes } from "../../support/signing.ts";
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

describe("--public-key", () => {
  test("is the file of a key, of several, or the line of one", async () => {
    const { url } = await serveRoutes(signed);
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

  test("makes a feed unknown that is not signed, unless an answer that is signed was cached, which is said", async () => {
    const reason = "The feed is not signed, but --public-key requires a signature.";
    const context = feedContext();
    const routes = { ...signed };
    const { url } = await serveRoutes(routes);
    expect(await run(url, {}, context)).toMatchObject({ code: 0, logged: "" });
    delete routes["/SHA256SUMS"];
    const cached = await run(url, {}, context);
    expect(cached.code).toBe(0);
    expect(cached.logged).toContain(`Warning: ${reason} Using its answer of ${signedFields.generated_at}`);
    expect(await run(url)).toEqual({ code: 4, printed: "", logged: `Unknown: ${reason}` });
  });

  test("replaces a damaged document in the cache, although the server says that it has not changed", async () => {
    const { url } = await serve(({ path, request, response }) => {
      const found = signed[path];
      const text = typeof found === "object" ? documentText(found) : "";
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
    const { url, close } = await serveRoutes(feed);
    expect(await run(url, { publicKey: undefined }, context)).toMatchObject({ code: 0 });
    await close();
    expect(await run(url, { publicKey: undefined }, context)).toMatchObject({ code: 0 });
    expect(await run(url, {}, context)).toMatchObject({ code: 4 });
  });
});
