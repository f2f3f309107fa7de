import { visible } from "../../../src/core/base/text/quote.ts";
import { describe, expect, test } from "vitest";
import {
  explanationJson,
  explanationText,
  probeUrl,
  type ProbeUrlOptions,
} from "../../../src/app/commands/probe-command.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import { sentenceOf } from "../../../src/core/kinds/kinds.ts";
import { advertisement } from "../../support/advertisement.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import { certificateFor } from "../../support/certificates.ts";
import { feedContext } from "../../support/feed-context.ts";
import { sentenceOf as refusalOf } from "../../support/child.ts";
import { runInProcess } from "../../support/in-process.ts";
import { clock } from "../../support/probing.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const testbed = await startTestbed();
async function run(url: string, options: Partial<ProbeUrlOptions> = {}) {
  const { context, printed, logged } = feedContext(clock);
  const defaults = { kind: "git", timeoutMs: 5000, allowPrivate: true } as const;
  const code = await probeUrl({ url, ...defaults, ...options }, context);
  return { code, printed: printed(), logged: logged() };
}

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
    ["https://user:secret@mirror.test/a", "contains credentials"],
    ["https://mirror.test/a?b=c", "The URL has a query, which only http mirrors may have"],
  ])("refuses %s", async (url, problem) => {
    const failed = run(url);
    await expect(failed).rejects.toThrow(InputError);
    await expect(failed).rejects.toThrow(problem);
    await expect(failed).rejects.not.toThrow("secret");
  });

  test("--json has the steps only with --explain, in order", async () => {
    const server = await testbed.startServer(lab.flaky(1));
    const { printed } = await run(`${server.url}/a`, { explain: true, json: true });
    const { steps } = JSON.parse(printed) as { steps: { at_ms: number; step: string }[] };
    const times = steps.map(({ at_ms }) => at_ms);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(steps.map(({ step }) => step)).toEqual(
      expect.arrayContaining(["attempt", "connected", "request", "failure", "pause", "response", "body"]),
    );
    const { printed: short } = await run(`${server.url}/a`, { json: true });
    expect(JSON.parse(short)).toMatchObject({ kind: "git", code: "ok", sentence: expect.any(String) });
    expect(JSON.parse(short)).not.toHaveProperty("steps");
  });

  test("--explain shows whether a Git server serves the commit that it lists", async () => {
    const { folder, head } = testbed.repositories.good;
    const good = await testbed.startServer(testbed.gitServer(folder));
    const { printed } = await run(good.url, { explain: true });
    expect(printed).toMatch(new RegExp(`ms  fetch +revision ${head}$`, "m"));
    expect(printed).toMatch(/ms {2}request +line POST \/git-upload-pack HTTP\/1\.1, header_count \d+$/m);
    expect(printed).toMatch(/ms {2}fetched +result ok$/m);
    expect(printed).toMatch(/ms {2}result +code ok, .*, fetched ok$/m);
  });

  test("--explain says why a certificate is refused", async () => {
    const certificate = await certificateFor("127.0.0.1", { expired: true });
    const server = await testbed.startServer(advertisement(), { tls: certificate });
    const { printed } = await run(`${server.url}/a`, { explain: true });
    expect(printed).toMatch(
      /ms {2}tls +protocol TLSv1\.3, cipher TLS_\w+, accepted false, cause CERT_HAS_EXPIRED$/m,
    );
    expect(printed).toMatch(/^ +subject: CN=127\.0\.0\.1$/m);
    expect(printed).toMatch(/^tls https:.* Its certificate has expired\.$/m);
  });

  test("prints nothing that a terminal would obey", async () => {
    const server = await testbed.startServer(({ response }) => {
      response.writeHead(200, { "x-evil": "\u009b31m", location: "\u0085x" }).end();
    });
    const tls = await certificateFor("evil\u001b[31m\u202e\n::error::x");
    const secure = await testbed.startServer(advertisement(), { tls });
    for (const url of [server.url, secure.url])
      for (const json of [true, false]) {
        const printed = visible((await run(`${url}/a`, { explain: true, json })).printed);
        expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(printed).not.toMatch(/^\s*::/m);
      }
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
  const mirrorfeed = (parameters: string) =>
    runInProcess(["probe", ...parameters.split(" ")], { folder: temporaryFolder() });

  const alone = "only works when probing one URL; name the URL to probe.";
  const mirrors = "only works when probing mirrors.json; leave out the option or the URL.";
  test.each([
    ["--explain", `--explain ${alone}`],
    ["--kind git", `--kind ${alone}`],
    ["http://127.0.0.1/ --shard 1/2", `--shard ${mirrors}`],
    ["http://127.0.0.1/ --config a", `--config ${mirrors}`],
  ])("%s is invalid", async (parameters, sentence) => {
    const ended = await mirrorfeed(parameters);
    expect([ended.stdout, refusalOf(ended)]).toEqual(["", sentence]);
  });

  test("probe one URL without mirrors.json", async () => {
    const server = await testbed.startServer(advertisement());
    const parameters = `${server.url}/a --explain --allow-private --timeout 30s`;
    const { code, stdout, stderr } = await mirrorfeed(parameters);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ +\d+ ms {2}attempt +attempt 1, max 3\n(?:.*\n)+\nok \d+ ms http/);
  });

  test("leave private addresses alone without --allow-private", async () => {
    const { code, stdout, stderr } = await mirrorfeed("http://127.0.0.1:9/ --explain");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^blocked_address http:\/\/127\.0\.0\.1:9\/ /m);
    expect(stderr).toBe(
      "Warning: 1 mirror not probed, because only private addresses were found (127.0.0.1:9); if this is intended, use --allow-private.\n",
    );
  });
});
