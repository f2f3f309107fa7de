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
  answer,
  feedOf,
  heartbeatOf,
  mirror,
  page,
  type Routes,
  serve,
  target,
  urlOf,
} from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startForwardProxy } from "../support/proxy.ts";
import type { Mirror, Reason } from "../../src/client/index.ts";
import type { Handler } from "../support/mirror-server.ts";
import { reasonSentences } from "../../src/client/reasons.ts";
import { commentOf, key, otherKey, signedFields, signedRoutes } from "../support/signing.ts";
import { runStep } from "./script.ts";

const checkout = join(import.meta.dirname, "../..");
const folder = join(checkout, ".github/actions/check");

const input = z.strictObject({
  description: z.string(),
  required: z.literal(true).optional(),
  default: z.string().optional(),
});

/** The schema describes the syntax of JavaScript actions, without the parts that this action doesn't use. */
const { inputs, outputs, runs } = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    inputs: z.record(z.string(), input),
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

/** Runs the action with its defaults, as the runner does. Unset outputs are empty. */
async function use(given: Given, environment: Given = {}) {
  const defaults = Object.entries(inputs).map(([name, one]) => [name, one.default ?? ""] as const);
  const named = Object.entries({ ...Object.fromEntries(defaults), ...given }).map(
    ([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const,
  );
  // The folder's package.json declares CommonJS. The action must work nevertheless.
  const action = temporaryFolder();
  cpSync(join(folder, runs.main), join(action, runs.main));
  writeFileSync(join(action, "package.json"), '{"type":"commonjs"}');
  const environments = { ...Object.fromEntries(named), ...environment };
  const place = { workspace: action, temporary: temporaryFolder() };
  const outcome = await runStep(process.execPath, [join(action, runs.main)], environments, place);
  const results = Object.keys(outputs).map((name) => [name, outcome.outputs[name] ?? ""] as const);
  return { ...outcome, given: Object.fromEntries<string>(results) };
}

const mirrors = [mirror(1, 1, { freshness: "behind" }), mirror(2, 0), mirror(3, 1, { freshness: "in_sync" })];
const times = {
  generated_at: new Date(Date.now() - 60_000).toISOString(),
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
};

/** A current feed of these mirrors. */
function feedNow(list: readonly Mirror[] = mirrors): Routes {
  return {
    ...feedOf(list),
    "/v1/report/": { document: heartbeatOf(list, { ...times, site_url: signedFields.feed }) },
  };
}

test("the action is the bundle of its source; `npx vitest run -u` writes it anew", async () => {
  const text = await bundle();
  expect(text.length).toBeLessThan(28_000);
  await expect(text).toMatchFileSnapshot(join(folder, runs.main));
});

test("an input of the action is required or has a default", () => {
  expect(Object.values(inputs).every((one) => one.required !== (one.default !== undefined))).toBe(true);
});

const missing = page(404, '{"error":"Not found","code":404}');
const away = "http://127.0.0.1:1/";
const revision = "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e";
const lacking = [mirror(1, 1), mirror(2, 1, { revision }), mirror(3, 0, { revision })];
const withRevision = { revision: revision.slice(0, 7), min: "2" };
const spots = [mirror(1, 1, { country: "DE" }), mirror(2, 1, { country: "FR" }), mirror(3, 1)];
const signed = signedRoutes(feedNow(), {}, commentOf({ ...signedFields, ...times }));
const trusting = { "public-key": key.publicKey, site: signedFields.feed };
const name = "a\n::error::owned\n##[error]owned\nurl=https://owned.example.org/";
const hostile = feedNow([mirror(1, 1, { name })]);
const firstTwo = "mirror-1.example.org, mirror-2.example.org";
const exclude = "mirror-1.example.org\nmirror-3.example.org";
const fallback = "https://fallback.example.org/a";
const failOpen = { "fail-open": "true" };
const [two, all] = ["2 of 3 mirrors reachable.", "3 of 3 mirrors reachable."];
const tooFew = "::error title=Too few mirrors::";
const replaced = /^::warning .*\. The fallback is used instead\.$/m;
const current = feedNow();

describe("the action", () => {
  test.each<[told: string, Given, Routes | Handler, log: string | RegExp]>([
    ["success: reachable true 2 mirror-3", { min: "2" }, current, two],
    [
      "failure: not_fresh false 1 mirror-3",
      { min: "2", fresh: "true" },
      current,
      `${tooFew}1 of 3 mirrors reachable and in sync; at least 2 must be.`,
    ],
    ["failure: unreachable false 0", failOpen, feedNow([mirror(1, 0)]), /^::error /],
    ["failure: not_found", failOpen, missing, /^::error title=There are no such mirrors::/],
    [
      "failure: not_fresh false 1 mirror-2",
      withRevision,
      feedNow(lacking),
      `${tooFew}1 of 3 mirrors reachable with this revision; at least 2 must be.`,
    ],
    ["success: reachable true 3 mirror-1", {}, feedNow(spots), all],
    ["success: reachable true 3 mirror-2", { country: "fr" }, feedNow(spots), all],
    ["success: reachable true 3 mirror-3", { exclude: firstTwo }, feedNow(spots), all],
    [
      "failure: reachable true 2",
      { exclude },
      current,
      `${tooFew}2 of 3 mirrors reachable, but the exclude input leaves out all of them.`,
    ],
    ["success: reachable true 2 fallback", { exclude, fallback }, current, replaced],
    ["success: not_found fallback", { fallback }, missing, replaced],
    ["success: unknown fallback no_answer", { url: away, fallback }, missing, replaced],
    ["failure: unreachable false 2 mirror-3", { fallback, min: "3" }, current, /^::error /],
    // The name of a mirror in a hostile feed is never a command.
    ["success: reachable true 1 mirror-1", {}, hostile, "1 of 1 mirrors reachable."],
    ["success: reachable true 2 mirror-3", trusting, signed, two],
    ["failure: unknown other_site", { ...trusting, site: "" }, signed, /^::error /],
    ["failure: unknown bad_signature", { "public-key": otherKey.publicKey }, signed, /^::error /],
    ["failure: unknown unsigned", trusting, current, /^::error /],
    ["failure:", { ...trusting, "public-key": "x" }, signed, /::Invalid publicKey\. /],
  ])("%s with %j", async (told, given, feed, log) => {
    const { result, output, given: outputs } = await use({ url: await urlOf(feed), target, ...given });
    const texts = Object.values(outputs).map((text) => text.replace(/^https:..([\w-]+)\..*$/, "$1"));
    expect(`${result}: ${texts.filter(Boolean).join(" ")}`.trim()).toBe(told);
    if (typeof log === "string") expect(output).toBe(`${log}\n`);
    else expect(output).toMatch(log);
  });

  test("waits until enough mirrors have a revision, and gives the best of them", async () => {
    const later = [mirror(1, 1), mirror(2, 1, { revision }), mirror(3, 1, { revision })];
    let reads = 0;
    const { url } = await serve((exchange) => {
      if (exchange.path === `/v1/network/${target}/`) reads += 1;
      return answer(feedNow(reads > 2 ? later : lacking)[exchange.path] ?? missing, exchange);
    });
    expect(await use({ url, target, ...withRevision, wait: "1s" })).toMatchObject({
      result: "success",
      output: "2 of 3 mirrors reachable with this revision.\n",
      given: { outcome: "reachable", count: "2", url: later[1]?.url },
    });
    expect(reads).toBeGreaterThan(2);
  });

  test("asks several feeds in order, and warns of those that it passed over", async () => {
    const passed = { name: "warning", data: `${away}: The feed could not be read.` };
    expect(await use({ url: `${away}\n${await urlOf(feedNow())}`, target })).toMatchObject({
      result: "success",
      output: expect.stringMatching(/\n2 of 3 mirrors reachable\.\n$/),
      commands: [passed],
      given: { outcome: "reachable", url: mirrors[2]?.url },
    });
    const expired = await urlOf(feedOf(mirrors));
    expect(await use({ url: `${away} ${expired}`, target })).toMatchObject({
      result: "failure",
      commands: [
        passed,
        { name: "warning", data: `${expired}/: ${reasonSentences.expired}` },
        { name: "error", data: "None of the feeds can be used." },
      ],
      given: { outcome: "unknown", reason: "no_answer", url: "" },
    });
  });

  test.each<[string, Routes | Handler, Reason, Given]>([
    ["a page", page(200), "not_contract", {}],
    ["silence", lab.silent(), "timeout", { timeout: "300ms" }],
    ["a feed of long ago", feedOf(mirrors), "expired", {}],
    ["a feed that is too old", feedNow(), "too_old", { "max-age": "30s" }],
  ])("is red for %s, or green with a warning by fail-open", async (_, feed, reason, more) => {
    const url = await urlOf(feed);
    const given = { outcome: "unknown", reachable: "", count: "", url: "", reason };
    expect(await use({ url, target, ...more })).toMatchObject({
      ...{ result: "failure", given },
      commands: [{ name: "error", data: reasonSentences[reason].replace("--max-age", "max-age") }],
    });
    expect(await use({ url, target, ...failOpen, ...more })).toMatchObject({
      ...{ result: "success", commands: [{ name: "warning" }], given },
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

  // Since 22.21 and 24, Node.js can read proxies from the environment.
  test.skipIf(!process.allowedNodeEnvironmentFlags.has("--use-env-proxy"))(
    "asks through the proxy of the environment (Node 24)",
    async () => {
      const url = await urlOf(feedNow());
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
