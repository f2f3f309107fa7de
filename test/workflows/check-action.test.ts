import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { features } from "node:process";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import * as z from "zod";
import { misbehaviours as lab } from "../../src/demo/misbehaviour.ts";
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
  temporaryFolder,
} from "../client/serving.ts";
import { interpolate } from "./expression.ts";
import { houseRules } from "./house-rules.ts";
import { runScript, type ScriptOutcome } from "./script.ts";
import { parseWorkflow } from "./workflow.ts";

const checkout = join(import.meta.dirname, "../..");
const folder = ".github/actions/check";
const text = readFileSync(join(checkout, folder, "action.yml"), "utf8");

/** As much of the syntax of composite actions as this one uses. */
const described = z.strictObject({ description: z.string(), value: z.string() });
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
    outputs: z.record(z.string(), described),
    runs: z.strictObject({
      using: z.literal("composite"),
      steps: z.tuple([
        z.strictObject({
          id: z.string(),
          name: z.string(),
          shell: z.literal("bash"),
          env: z.record(z.string(), z.string()),
          run: z.string(),
        }),
      ]),
    }),
  })
  .parse(parse(text));
const [step] = runs.steps;

/** How the client is there: compiled, as after `npm ci`, or as its source alone, as a runner downloads it. */
type Client = "compiled" | "source";

async function downloaded(client: Client): Promise<string> {
  const root = temporaryFolder();
  cpSync(join(checkout, folder), join(root, folder), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  const source = join(checkout, "src/client");
  if (client === "source") cpSync(source, join(root, "src/client"), { recursive: true });
  else {
    const outfile = join(root, "dist/client/index.js");
    await build({
      entryPoints: [join(source, "index.ts")],
      bundle: true,
      format: "esm",
      platform: "neutral",
      outfile,
    });
  }
  return join(root, folder);
}

type Outcome = ScriptOutcome & { readonly given: Readonly<Record<string, string>> };

/** Runs the action as the runner does, with its defaults, and gives its outputs too. */
async function use(given: Readonly<Record<string, string>>, client: Client = "compiled"): Promise<Outcome> {
  const defaults = Object.entries(inputs).map(([name, one]) => [name, one.default ?? ""] as const);
  const scope = {
    contexts: { inputs: { ...Object.fromEntries(defaults), ...given } },
    functions: {},
  };
  const environment = Object.entries(step.env).map(
    ([name, value]) => [name, interpolate(value, scope)] as const,
  );
  const place = { workspace: temporaryFolder(), temporary: temporaryFolder() };
  mkdirSync(place.workspace, { recursive: true });
  const outcome = await runScript(
    step.run,
    step.shell,
    { ...Object.fromEntries(environment), GITHUB_ACTION_PATH: await downloaded(client) },
    place,
  );
  const steps = { contexts: { steps: { [step.id]: { outputs: outcome.outputs } } }, functions: {} };
  const results = Object.entries(outputs).map(
    ([name, { value }]) => [name, interpolate(value, steps)] as const,
  );
  return { ...outcome, given: Object.fromEntries(results) };
}

const mirrors = [mirror(1, 1, { freshness: "behind" }), mirror(2, 0), mirror(3, 1, { freshness: "in_sync" })];

/** A feed that holds now. */
function feedNow(more: Routes = {}): Routes {
  const now = Date.now();
  const moments = {
    generated_at: new Date(now - 60_000).toISOString(),
    expires_at: new Date(now + 3_600_000).toISOString(),
  };
  return { ...feedOf(mirrors), "/v1/report/": { document: heartbeatOf(mirrors, moments) }, ...more };
}

test("no script of the action holds an expression, and what it uses is pinned", () => {
  const job = { name: "a", "runs-on": "b", steps: [{ ...step, shell: undefined }] };
  const workflow = stringify({
    name: "a",
    on: {},
    concurrency: { group: "a", "cancel-in-progress": false },
    jobs: { a: job },
  });
  for (const name of [
    "no script holds an expression",
    "every action is pinned by a commit, with its version beside it",
  ] as const)
    expect(houseRules[name](parseWorkflow(workflow), text)).toEqual([]);
  expect(Object.values(inputs).every((one) => one.required !== (one.default !== undefined))).toBe(true);
});

describe("the action", () => {
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
      given: { outcome: "unreachable", reachable: "false", count: "1", url: mirrors[2]?.url },
    });
    const none = await serveRoutes(
      feedNow({ [`/v1/network/${target}/`]: { document: contractOf([mirror(1, 0)]) } }),
    );
    expect(await use({ url: none.url, target, "fail-open": "true" })).toMatchObject({
      result: "failure",
      given: { outcome: "unreachable", count: "0", url: "" },
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
  ])("is red for %s, or green with a warning by fail-open", async (_, handler, reason, more) => {
    const routes = reason === "expired" ? feedOf(mirrors) : feedNow();
    const { url } = handler === undefined ? await serveRoutes(routes) : await serve(handler);
    const given = { outcome: "unknown", reachable: "", count: "", url: "", reason };
    expect(await use({ url, target, ...more })).toMatchObject({
      result: "failure",
      commands: [{ name: "error", data: `The feed could not be read (${reason}).` }],
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
    ["max-age", "1 h"],
    ["timeout", "soon"],
    ["fail-open", ""],
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

  test("runs from the source where Node reads TypeScript, and says what it needs where not", async () => {
    const { url } = await serveRoutes(feedNow());
    const isRead = "typescript" in features && Boolean(features.typescript);
    const outcome = await use({ url, target }, "source");
    if (isRead) expect(outcome).toMatchObject({ result: "success", given: { reachable: "true" } });
    else
      expect(outcome).toMatchObject({
        result: "failure",
        commands: [{ data: expect.stringContaining("Node 22.18") }],
      });
  });
});
