import { visible } from "../../../src/core/base/text/quote.ts";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { probeUrl, type ProbeUrlOptions } from "../../../src/app/commands/probe-command.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import { phases } from "../../../src/core/base/http/codes.ts";
import { sentenceOf } from "../../../src/core/kinds/kinds.ts";
import { explanationJson, explanationText } from "../../../src/features/explain/explanation.ts";
import { advertisement } from "../../support/advertisement.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import { certificateFor } from "../../support/certificates.ts";
import { feedContext } from "../../support/feed-context.ts";
import { runInProcess } from "../../support/in-process.ts";
import { clock } from "../../support/probing.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import type { Behaviour } from "../../../src/features/demo/mirror-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const testbed = await startTestbed();
async function run(url: string, options: Partial<ProbeUrlOptions> = {}) {
  const { context, printed, logged } = feedContext(clock);
  const defaults = { kind: "git", timeoutMs: 5000, allowPrivate: true } as const;
  const code = await probeUrl({ url, ...defaults, ...options }, context);
  return { code, printed: printed(), logged: logged() };
}

/** Scripts read these fields of each step. */
const fieldsOfSteps: Readonly<Record<string, string>> = {
  attempt: "attempt max",
  resolve: "hostname addresses source",
  connect: "address port",
  connected: "address port",
  proxy: "address port",
  not_connected: "address code cause?",
  tls: "protocol cipher accepted cause? certificate",
  request: "line headers header_count",
  response: "status headers header_count",
  body: "bytes complete",
  redirect: "url",
  failure: "code phase? cause? cause_text?",
  pause: "ms",
  fetch: "revision",
  fetched: "result?",
  family: "family code proven",
};
const text = z.string().max(600);
const step = z
  .looseObject({ at_ms: z.int().min(0), step: z.enum(Object.keys(fieldsOfSteps)) })
  .refine(({ at_ms, step: name, ...fields }) => {
    const documented = (fieldsOfSteps[name] ?? "").split(" ");
    const required = documented.filter((field) => !field.endsWith("?"));
    const known = documented.map((field) => field.replace("?", ""));
    return (
      at_ms >= 0 &&
      required.every((field) => field in fields) &&
      Object.keys(fields).every((field) => known.includes(field))
    );
  }, "It has not the documented fields.");
const document = z.strictObject({
  url: z.url(),
  kind: z.enum(["apt", "git", "http", "pacman", "rpm"]),
  code: z.string(),
  sentence: z.string(),
  http_status: z.int().optional(),
  latency_ms: z.int().optional(),
  attempts: z.int(),
  checked_at: z.iso.datetime(),
  phase: z.enum(phases).optional(),
  cause: z.string().optional(),
  cause_text: text.optional(),
  tls_expires_at: z.iso.datetime().optional(),
  revision: z.string().optional(),
  branch: z.string().optional(),
  partial: z.literal(true).optional(),
  refs: z.string().optional(),
  refs_unread: z.enum(["too_many", "unread"]).optional(),
  content_at: z.string().optional(),
  content_code: z.string().optional(),
  fetched: z.enum(["ok", "failed", "timeout"]).optional(),
  steps: z.array(step).optional(),
});

describe("mirrorfeed probe URL", () => {
  test("prints one line, with exit code 0 whatever was seen", async () => {
    const good = await testbed.startServer(advertisement());
    const bad = await testbed.startServer(lab.notFound());
    const { code, printed, logged } = await run(`${good.url}/a`);
    expect([code, logged]).toEqual([0, ""]);
    expect(printed).toMatch(
      /^ok \d+ ms http:\/\/127.0.0.1:\d+\/a The mirror answered as expected\. \(HTTP 200\)$/,
    );
    expect(await run(`${bad.url}/a`)).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^http_status \d+ ms .* It answered with an HTTP error\. \(HTTP 404\)$/),
    });
  });

  test.each<[string, string]>([
    ["ftp://mirror.test/a", "only http and https are probed"],
    ["https://user:secret@mirror.test/a", "contains credentials"],
    ["mirror.test/a", 'has no scheme; write "https://mirror.test/a"'],
    ["https://mirror.test/a?b=c", "The URL has a query, which only http mirrors may have"],
  ])("refuses %s", async (url, problem) => {
    const failed = run(url);
    await expect(failed).rejects.toThrow(InputError);
    await expect(failed).rejects.toThrow(problem);
    await expect(failed).rejects.not.toThrow("secret");
  });

  test.each<[string, Behaviour, Partial<ProbeUrlOptions>]>([
    ["a good mirror", advertisement(), {}],
    ["redirects", lab.redirectChain(2), { kind: "http" }],
    ["another attempt", lab.flaky(1), {}],
    ["silence", lab.silent(), { timeoutMs: 400 }],
    ["a body that is cut off", lab.truncatedBody(), {}],
  ])("--json has the documented shape: %s", async (_, behaviour, options) => {
    const server = await testbed.startServer(behaviour);
    const { printed } = await run(`${server.url}/a`, { ...options, explain: true, json: true });
    const { steps } = document.parse(JSON.parse(printed));
    const times = steps?.map((one) => one.at_ms) ?? [];
    expect(times[0]).toBe(0);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    const { printed: short } = await run(`${server.url}/a`, { ...options, json: true });
    expect(document.parse(JSON.parse(short))).not.toHaveProperty("steps");
  });

  test("--explain shows whether a Git server serves the commit that it lists", async () => {
    const { folder, head } = testbed.repositories.good;
    const good = await testbed.startServer(testbed.gitServer(folder));
    const { printed } = await run(good.url, { explain: true });
    expect(printed).toContain(`ms  fetch     ${head}`);
    expect(printed).toMatch(/ms {2}request {3}POST \/git-upload-pack HTTP\/1\.1$/m);
    expect(printed).toMatch(/ms {2}fetched {3}ok$/m);
    expect(printed).toMatch(/^ {2}fetched {3}ok$/m);
    const { printed: json } = await run(good.url, { explain: true, json: true });
    expect(document.parse(JSON.parse(json))).toMatchObject({ code: "ok", fetched: "ok" });
  });

  test("--explain says why a certificate is refused", async () => {
    const certificate = await certificateFor("127.0.0.1", { expired: true });
    const server = await testbed.startServer(advertisement(), { tls: certificate });
    const { printed } = await run(`${server.url}/a`, { explain: true });
    expect(printed).toMatch(/ms {2}tls {7}TLSv1\.3, TLS_/);
    expect(printed).toMatch(/^ +subject {2}CN=127\.0\.0\.1$/m);
    expect(printed).toMatch(/^ +not accepted: Its certificate has expired\. \(CERT_HAS_EXPIRED\)$/m);
    expect(printed).toMatch(/^tls https:.* Its certificate has expired\.$/m);
    expect(printed).toMatch(/^ {2}phase {5}tls$/m);
    const { printed: json } = await run(`${server.url}/a`, { explain: true, json: true });
    expect(document.parse(JSON.parse(json))).toMatchObject({ code: "tls", phase: "tls" });
  });

  test("prints nothing that a terminal would obey", async () => {
    const server = await testbed.startServer(({ response }) => {
      response.writeHead(200, { "x-evil": "\u009b31m", location: "\u0085x" }).end();
    });
    const tls = await certificateFor("evil\u001b[31m\u202e\n::error::x");
    const secure = await testbed.startServer(advertisement(), { tls });
    for (const [url, json] of [server.url, secure.url].flatMap((one) => [
      [one, true] as const,
      [one, false] as const,
    ])) {
      const printed = visible((await run(`${url}/a`, { explain: true, json })).printed);
      expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(printed).not.toMatch(/^\s*::/m);
    }
  });

  test("shows a branch that another version of a kind might name on one line", () => {
    const observation = {
      id: 1,
      code: "ok",
      attempts: 1,
      checked_at: "2026-03-10T12:00:00.000Z",
      branch: "a\nb",
    };
    const shown = explanationText({ url: "https://mirror.test/", kind: "git", observation, steps: [] });
    expect(shown).toContain("branch    a\\u000ab");
  });

  test("says what is wrong with the content, and not that all is well", () => {
    const expired = {
      id: 1,
      code: "ok",
      content_code: "expired",
      attempts: 1,
      checked_at: "2026-03-10T12:00:00.000Z",
      latency_ms: 38,
    } as const;
    const probed = { url: "https://mirror.test/", kind: "apt", observation: expired };
    const sentence = sentenceOf("expired");
    expect(explanationText(probed)).toBe(`expired 38 ms https://mirror.test/ ${sentence}`);
    expect(JSON.parse(explanationJson(probed))).toMatchObject({
      code: "ok",
      content_code: "expired",
      sentence,
    });
  });
});

describe("the options of mirrorfeed probe", () => {
  const mirrorfeed = (...parameters: string[]) =>
    runInProcess(["probe", ...parameters], { folder: temporaryFolder() });

  test.each([
    [["--explain"], "--explain only works when probing one URL; name the URL to probe."],
    [["--kind", "git"], "--kind only works when probing one URL; name the URL to probe."],
    [
      ["http://127.0.0.1/", "--shard", "1/2"],
      "--shard only works when probing mirrors.json; leave out the option or the URL.",
    ],
    [
      ["http://127.0.0.1/", "--config", "a"],
      "--config only works when probing mirrors.json; leave out the option or the URL.",
    ],
  ])("%j is invalid", async (parameters, sentence) => {
    expect(await mirrorfeed(...parameters)).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: `mirrorfeed: ${sentence}\n`,
    });
  });

  test("probe one URL without mirrors.json", async () => {
    const server = await testbed.startServer(advertisement());
    const { code, stdout, stderr } = await mirrorfeed(
      `${server.url}/a`,
      "--explain",
      "--allow-private",
      "--timeout",
      "30s",
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ +\d+ ms {2}attempt {3}1 of 3\n(?:.*\n)+\nok \d+ ms http/);
  });

  test("leave private addresses alone without --allow-private", async () => {
    const { code, stdout, stderr } = await mirrorfeed("http://127.0.0.1:9/", "--explain");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^blocked_address http:\/\/127\.0\.0\.1:9\/ /m);
    expect(stderr).toBe(
      "Warning: 1 mirror not probed, because only private addresses were found (127.0.0.1:9); if this is intended, use --allow-private.\n",
    );
  });
});
