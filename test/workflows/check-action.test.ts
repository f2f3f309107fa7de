import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { closeAfterTest } from "../support/close-after-test.ts";
import { misbehaviours as lab } from "../support/misbehaviours.ts";
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
} from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startForwardProxy } from "../support/proxy.ts";
import { reasonSentences } from "../../src/client/reasons.ts";
import { commentOf, key, otherKey, signedFields, signedRoutes } from "../support/signing.ts";
import { runStep } from "./script.ts";

const checkout = join(import.meta.dirname, "../..");
const folder = join(checkout, ".github/actions/check");

/** The schema describes the syntax of JavaScript actions, without the parts that this action doesn't use. */
const { inputs, outputs, runs } = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    inputs: z.record(
      z.string(),
      z.strictObject({
        description: z.string(),
        required: z.literal(true).optional(),
        default: z.string().optional(),
      }),
    ),
    outputs: z.record(z.string(), z.strictObject({ description: z.string() })),
    runs: z.strictObject({ using: z.literal("node24"), main: z.literal("index.mjs") }),
  })
  .parse(parse(readFileSync(join(folder, "action.yml"), "utf8")));

/** Bundles the action into one file, like the one next to action.yml. Keeps names and lines, so users can read it. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(checkout, "src/action/check.ts")],
    absWorkingDir: checkout,
    bundle: true,
    write: false,
    platform: "node",
    target: "node20.19",
    format: "esm",
    minifySyntax: true,
    banner: { js: "// Made from src/action/check.ts by `npx vitest run -u`. Do not edit." },
  });
  return outputFiles[0]?.text ?? "";
}

type Given = Readonly<Record<string, string>>;

/** Creates a folder with the action and a package.json that declares CommonJS. The action must work nevertheless. */
function alone(): string {
  const place = temporaryFolder();
  cpSync(join(folder, runs.main), join(place, runs.main));
  writeFileSync(join(place, "package.json"), '{"type":"commonjs"}');
  return place;
}

/** Runs the action with its defaults, as the runner does. Unset outputs are empty. */
async function use(given: Given, environment: Given = {}) {
  const defaults = Object.entries(inputs).map(([name, one]) => [name, one.default ?? ""] as const);
  const named = Object.entries({ ...Object.fromEntries(defaults), ...given }).map(
    ([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const,
  );
  const action = alone();
  const outcome = await runStep(
    process.execPath,
    [join(action, runs.main)],
    { ...Object.fromEntries(named), ...environment },
    { workspace: action, temporary: temporaryFolder() },
  );
  const results = Object.keys(outputs).map((name) => [name, outcome.outputs[name] ?? ""] as const);
  return { ...outcome, given: Object.fromEntries<string>(results) };
}

const mirrors = [mirror(1, 1, { freshness: "behind" }), mirror(2, 0), mirror(3, 1, { freshness: "in_sync" })];

function feedNow(more: Routes = {}): Routes {
  const now = Date.now();
  const timestamps = {
    generated_at: new Date(now - 60_000).toISOString(),
    expires_at: new Date(now + 3_600_000).toISOString(),
  };
  return { ...feedOf(mirrors), "/v1/report/": { document: heartbeatOf(mirrors, timestamps) }, ...more };
}

test("the action is the bundle of its source; `npx vitest run -u` writes it anew", async () => {
  const text = await bundle();
  expect(text.length).toBeLessThan(28_000);
  await expect(text).toMatchFileSnapshot(join(folder, runs.main));
});

test("an input of the action is required or has a default", () => {
  expect(Object.values(inputs).every((one) => one.required !== (one.default !== undefined))).toBe(true);
});

describe("the action", () => {
  test("takes only a feed that is signed, if it has a public key", async () => {
    const now = Date.now();
    const times = {
      generated_at: new Date(now - 60_000).toISOString(),
      expires_at: new Date(now + 3_600_000).toISOString(),
    };
    const heartbeat = { document: heartbeatOf(mirrors, { ...times, site_url: signedFields.feed }) };
    const feed = { ...feedOf(mirrors), "/v1/report/": heartbeat };
    const signed = await serveRoutes(signedRoutes(feed, {}, commentOf({ ...signedFields, ...times })));
    const given = { url: signed.url, target, "public-key": key.publicKey, site: signedFields.feed };
    expect(await use(given)).toMatchObject({
      result: "success",
      given: { outcome: "reachable", count: "2" },
    });
    expect(await use({ ...given, site: "" })).toMatchObject({ given: { reason: "other_site" } });
    expect(await use({ ...given, "public-key": otherKey.publicKey })).toMatchObject({
      result: "failure",
      given: { outcome: "unknown", reason: "bad_signature" },
    });
    const unsigned = await serveRoutes(feed);
    expect(await use({ ...given, url: unsigned.url })).toMatchObject({
      given: { outcome: "unknown", reason: "unsigned" },
    });
    expect((await use({ ...given, "public-key": "x" })).output).toContain("Invalid publicKey. ");
  });

  test("is green where enough mirrors are reachable, and gives the best", async () => {
    const { url } = await serveRoutes(feedNow());
    expect(await use({ url, target, min: "2" })).toMatchObject({
      result: "success",
      output: "2 of 3 mirrors reachable.\n",
      commands: [],
      given: { outcome: "reachable", reachable: "true", count: "2", url: mirrors[2]?.url, reason: "" },
    });
  });

  test("is red where too few are, and says so where it is seen", async () => {
    const { url } = await serveRoutes(feedNow());
    expect(await use({ url, target, min: "2", fresh: "true" })).toMatchObject({
      result: "failure",
      commands: [{ name: "error", data: "1 of 3 mirrors reachable and in sync; at least 2 must be." }],
      given: { outcome: "not_fresh", reachable: "false", count: "1", url: mirrors[2]?.url },
    });
    const none = await serveRoutes(
      feedNow({ [`/v1/network/${target}/`]: { document: contractOf([mirror(1, 0)]) } }),
    );
    expect(await use({ url: none.url, target, "fail-open": "true" })).toMatchObject({
      result: "failure",
      given: { outcome: "unreachable", count: "0", url: "" },
    });
  });

  test("waits until enough mirrors have a revision, and gives the best of them", async () => {
    const revision = "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e";
    const lacking = [mirror(1, 1), mirror(2, 1, { revision }), mirror(3, 0, { revision })];
    const later = [mirror(1, 1), mirror(2, 1, { revision }), mirror(3, 1, { revision })];
    let reads = 0;
    const { "/v1/report/": heartbeat = { document: {} } } = feedNow();
    const { url } = await serve((exchange) => {
      if (exchange.path === `/v1/network/${target}/`) reads += 1;
      const served = { ...feedOf(reads > 2 ? later : lacking), "/v1/report/": heartbeat }[exchange.path];
      const document = served !== undefined && "document" in served ? served.document : {};
      exchange.response.end(JSON.stringify(document));
    });
    const given = { url, target, revision: revision.slice(0, 7), min: "2" };
    expect(await use(given)).toMatchObject({
      result: "failure",
      commands: [{ name: "error", data: "1 of 3 mirrors reachable with this revision; at least 2 must be." }],
      given: { outcome: "not_fresh", count: "1", url: lacking[1]?.url },
    });
    reads = 0;
    expect(await use({ ...given, wait: "1s" })).toMatchObject({
      result: "success",
      output: "2 of 3 mirrors reachable with this revision.\n",
      given: { outcome: "reachable", count: "2", url: later[1]?.url },
    });
    expect(reads).toBeGreaterThan(2);
  });

  test("picks past excluded hosts, and prefers a country", async () => {
    const spots = [mirror(1, 1, { country: "DE" }), mirror(2, 1, { country: "FR" }), mirror(3, 1)];
    const { "/v1/report/": heartbeat = { document: {} } } = feedNow();
    const { url } = await serveRoutes({ ...feedOf(spots), "/v1/report/": heartbeat });
    const pickedWith = async (more: Given) => (await use({ url, target, ...more })).given["url"];
    expect(await pickedWith({})).toBe(spots[0]?.url);
    expect(await pickedWith({ country: "fr" })).toBe(spots[1]?.url);
    expect(await pickedWith({ exclude: "mirror-1.example.org, mirror-2.example.org" })).toBe(spots[2]?.url);
  });

  test("never succeeds without a URL to clone, unless it fails open", async () => {
    const fallback = "https://git.example.org/fallback";
    const { url } = await serveRoutes(feedNow());
    const exclude = "mirror-1.example.org\nmirror-3.example.org";
    expect(await use({ url, target, exclude })).toMatchObject({
      result: "failure",
      commands: [{ data: "2 of 3 mirrors reachable, but the exclude input leaves out all of them." }],
      given: { outcome: "reachable", url: "" },
    });
    const none = await serve(page(404, '{"error":"Not found","code":404}'));
    const cases: Given[] = [{ url, exclude }, { url: none.url }, { url: "http://127.0.0.1:1/" }];
    for (const given of cases) {
      const outcome = await use({ target, ...given, fallback });
      expect(outcome).toMatchObject({
        result: "success",
        commands: [{ name: "warning" }],
        given: { url: fallback },
      });
      expect(outcome.commands[0]?.data).toMatch(/\. The fallback is used instead\.$/);
    }
    expect((await use({ url, target, fallback, min: "3" })).result).toBe("failure");
  });

  test("asks several feeds in order, and warns of those that it passed over", async () => {
    const { url } = await serveRoutes(feedNow());
    const away = "http://127.0.0.1:1/";
    expect(await use({ url: `${away}\n${url}`, target })).toMatchObject({
      result: "success",
      output: expect.stringMatching(/\n2 of 3 mirrors reachable\.\n$/),
      commands: [{ name: "warning", data: `${away}: The feed could not be read.` }],
      given: { outcome: "reachable", url: mirrors[2]?.url },
    });
    const expired = await serveRoutes(feedOf(mirrors));
    expect(await use({ url: `${away} ${expired.url}`, target })).toMatchObject({
      result: "failure",
      commands: [
        { name: "warning", data: `${away}: The feed could not be read.` },
        { name: "warning", data: `${expired.url}/: ${reasonSentences.expired}` },
        { name: "error", data: "None of the feeds can be used." },
      ],
      given: { outcome: "unknown", reason: "no_answer", url: "" },
    });
  });

  test("is red where the feed has no such target", async () => {
    const { url } = await serve(page(404, '{"error":"Not found","code":404}'));
    expect(await use({ url, target, "fail-open": "true" })).toMatchObject({
      result: "failure",
      commands: [{ name: "error", properties: "title=There are no such mirrors" }],
      given: { outcome: "not_found", reachable: "", url: "" },
    });
  });

  test.each([
    ["a page", page(200), "not_contract", {}],
    ["silence", lab.silent(), "timeout", { timeout: "300ms" }],
    ["a feed of long ago", undefined, "expired", {}],
    ["a feed that is too old", undefined, "too_old", { "max-age": "30s" }],
  ] as const)("is red for %s, or green with a warning by fail-open", async (_, handler, reason, more) => {
    const routes = reason === "expired" ? feedOf(mirrors) : feedNow();
    const { url } = handler === undefined ? await serveRoutes(routes) : await serve(handler);
    const given = { outcome: "unknown", reachable: "", count: "", url: "", reason };
    expect(await use({ url, target, ...more })).toMatchObject({
      result: "failure",
      commands: [{ name: "error", data: reasonSentences[reason].replace("--max-age", "max-age") }],
      given,
    });
    expect(await use({ url, target, "fail-open": "true", ...more })).toMatchObject({
      result: "success",
      commands: [{ name: "warning" }],
      given,
    });
  });

  test.each([
    ["url", "nowhere"],
    ["url", "$(touch pwned)"],
    ["target", "packages"],
    ["target", "a/b/c\n::warning::owned"],
    ["min", "0"],
    ["min", "`id`"],
    ["fresh", "yes"],
    ["revision", "9f2c41"],
    ["revision", "9f2c41d\n::warning::owned"],
    ["wait", "1 h"],
    ["max-age", "1 h"],
    ["timeout", "soon"],
    ["fail-open", ""],
    ["country", "Germany"],
    ["exclude", "https://github.com/"],
    ["fallback", "https://git.example.org/a\nurl=https://owned.example.org/"],
  ])("refuses %s %j with one sentence that names it", async (name, value) => {
    const { result, commands, output } = await use({ url: "http://127.0.0.1:1", target, [name]: value });
    expect(result).toBe("failure");
    expect(commands).toMatchObject([{ name: "error", properties: "title=The mirrors were not checked" }]);
    expect(commands[0]?.data).toContain(name);
    expect(output.trim().split("\n")).toHaveLength(1);
  });

  test("of a hostile feed is never obeyed", async () => {
    const name = "a\n::error::owned\n##[error]owned\nurl=https://owned.example.org/";
    const { url } = await serveRoutes(
      feedNow({ [`/v1/network/${target}/`]: { document: contractOf([mirror(1, 1, { name })]) } }),
    );
    const { commands, given } = await use({ url, target });
    expect([commands, given["url"]]).toEqual([[], mirrors[0]?.url]);
  });

  // Since 22.21 and 24, Node.js can read proxies from the environment.
  test.skipIf(!process.allowedNodeEnvironmentFlags.has("--use-env-proxy"))(
    "asks through the proxy of the environment (Node 24)",
    async () => {
      const { url } = await serveRoutes(feedNow());
      const proxy = closeAfterTest(await startForwardProxy(() => new URL(url).host));
      const feed = "http://feed.example.org/";
      const proxied = await use({ url: feed, target }, { http_proxy: proxy.url });
      expect([proxied.result, proxy.reached[0]]).toEqual(["success", "feed.example.org:80"]);
      const before = proxy.reached.length;
      const direct = await use({ url, target }, { http_proxy: proxy.url, no_proxy: "127.0.0.1" });
      expect([direct.result, proxy.reached.length]).toEqual(["success", before]);
    },
  );
});
