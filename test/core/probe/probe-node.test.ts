import { describe, expect, test } from "vitest";
import { advertisement, mediaType } from "../../support/advertisement.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";
import { evidence } from "../../../src/core/kinds/kinds.ts";
import type { Behaviour, Handler } from "../../support/mirror-server.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { certificateFor } from "../../support/certificates.ts";
import { probeUrl, type ProbingOptions } from "../../support/probing.ts";

/** The head of a response and the first byte of its body, which never ends. */
const stopsMidway: Handler = ({ response }) => {
  response.writeHead(200, { "content-type": mediaType }).write("0");
};

const testbed = await startTestbed();
async function probeBehaviour(behaviour: Behaviour, options: ProbingOptions = {}) {
  const server = await testbed.startServer(behaviour);
  const result = await probeUrl(`${server.url}/joomla/packages`, options);
  return { result, server };
}

const lab = misbehaviours;

test("a real repository by git http-backend is ok, with the object id of HEAD, its branch and a latency", async () => {
  const { good } = testbed.repositories;
  const server = await testbed.startServer(testbed.gitServer(testbed.folder));
  const result = await probeUrl(`${server.url}/good.git`);
  const expected = { code: "ok", http_status: 200, revision: good.head, branch: "main", attempts: 1 };
  expect(result).toMatchObject(expected);
  expect(result.latency_ms).toBeGreaterThanOrEqual(0);
  expect(result.checked_at).toMatch(/^\d{4}-.*Z$/);
  expect(server.lastRequest?.url).toBe("/good.git/info/refs?service=git-upload-pack");
  expect(server.lastRequest?.headers).toMatchObject({
    "accept-encoding": "identity",
    "user-agent": "mirrorfeed/test (+https://example.org)",
  });
  expect(server.lastRequest?.headers).not.toHaveProperty("git-protocol");
});

const html = { "content-type": "text/html; charset=utf-8" };
const botCheck =
  (status: number, headers: Record<string, string>, page = ""): Handler =>
  ({ response }) => {
    response.writeHead(status, headers).end(`<!doctype html>${page}`);
  };
const anubis = '<script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>';

describe("a bot check", () => {
  test.each([
    ["of Cloudflare", botCheck(403, { "cf-mitigated": "challenge" })],
    ["of Cloudflare with another status", botCheck(200, { "cf-mitigated": "challenge" })],
    ["of AWS", botCheck(405, { "x-amzn-waf-action": "captcha" })],
    ["of Anubis", botCheck(200, html, anubis)],
    ["of Anubis, by its cookie", botCheck(200, { ...html, "set-cookie": "techaro.lol-anubis-auth=1" })],
  ])("%s is no evidence, and is not tried again", async (_, behaviour) => {
    const { result } = await probeBehaviour(behaviour);
    expect(result).toMatchObject({ code: "challenge", attempts: 1 });
    expect(evidence(result.code)).toBeUndefined();
  });

  test.each([
    ["another page", botCheck(200, html, "<title>Log in</title>"), "not_git"],
    ["no page", botCheck(200, { "content-type": "text/plain" }, anubis), "not_git"],
    ["a repository with a cookie", advertisement(), "ok"],
  ])("is not %s", async (_, behaviour, code) => {
    expect((await probeBehaviour(behaviour)).result).toMatchObject({ code });
  });
});

const quick = { timeoutMs: 400 };

/** git-answers/ has further answers of Git servers. */
describe("every misbehaviour ends as its code", () => {
  test.each<[string, Behaviour, object, ProbingOptions?]>([
    ["a good advertisement", advertisement(), { code: "ok" }],
    ["a slow one", lab.slow(300), { code: "ok" }],
    ["one without end", lab.endlessAdvertisement(), { code: "ok", partial: true }],
    ["404", lab.notFound(), { code: "http_status", http_status: 404 }],
    ["JSON with 200", lab.json(), { code: "not_git", http_status: 200 }],
    ["a login page instead of an archive", lab.loginPage(), { code: "not_apt" }, { kind: "apt" }],
    ["a login page instead of a repository", lab.loginPage(), { code: "not_pacman" }, { kind: "pacman" }],
    ["a login page instead of packages", lab.loginPage(), { code: "not_rpm" }, { kind: "rpm" }],
    ["silence", lab.silent(), { code: "timeout", phase: "wait" }, quick],
    ["silence from the first byte on", lab.silentAtConnection(), { code: "timeout", phase: "wait" }, quick],
    ["a header byte now and then", lab.dripHeaders(), { code: "timeout", phase: "wait" }, quick],
    ["a body that stops", stopsMidway, { code: "timeout", phase: "body" }, quick],
    ["a reset", lab.reset(), { code: "reset", phase: "wait" }],
    ["a reset at the connection", lab.resetAtConnection(), { code: "reset", phase: expect.any(String) }],
    ["a reset midway", lab.resetMidway(), { code: "reset", phase: "body" }],
    ["the end without an answer", lab.closeWithoutAnswer(), { code: "reset", phase: "wait" }],
    ["a body shorter than said", lab.truncatedBody(), { code: "reset", phase: "body" }],
    ["malformed chunks", lab.malformedChunks(), { code: "not_http", phase: "body" }],
    ["SSH", lab.sshBanner(), { code: "not_http", phase: "wait" }],
    ["headers without end", lab.endlessHeaders(), { code: "too_large", phase: "wait" }],
    ["a body without end, judged by its status", lab.endlessBody(), { code: "ok" }, { kind: "http" }],
    ["no redirects allowed", lab.redirectChain(1), { code: "redirect" }, { kind: "http", maxRedirects: 0 }],
    ["http: a login page is as good as any", lab.loginPage(), { code: "ok" }, { kind: "http" }],
  ])("%s", async (_, behaviour, expected, options) => {
    const { result } = await probeBehaviour(behaviour, options);
    expect({ phase: undefined, ...result }).toMatchObject({ phase: undefined, ...expected });
  });

  test("no path through the network (a multicast address)", async () => {
    expect((await probeUrl("http://224.0.0.1/a")).code).toBe("unreachable");
  });
});

describe("attempts", () => {
  test.each([
    ["end with a good answer", lab.flaky(2), 3, "ok", 3],
    ["are no more than allowed", lab.serverError(), 2, "http_status", 2],
    ["end with a 404", lab.notFound(), 3, "http_status", 1],
    ["end with a bad redirect", lab.redirectToFtp(), 3, "redirect", 1],
  ])("%s", async (_, behaviour, allowed, code, attempts) => {
    const { result, server } = await probeBehaviour(behaviour, { attempts: allowed });
    expect(result).toMatchObject({ code, attempts });
    expect(server.requests).toBe(attempts);
  });

  test("share one deadline", async () => {
    const { result } = await probeBehaviour(lab.resetAtConnection(), { attempts: 10, timeoutMs: 1000 });
    expect(result.attempts).toBeLessThan(10);
  });

  test("an interrupt ends a probe at once, with its reason", async () => {
    const server = await testbed.startServer(lab.silent());
    const interrupt = new AbortController();
    const probe = probeUrl(server.url, { timeoutMs: 20_000, interrupt: interrupt.signal });
    setTimeout(() => {
      interrupt.abort(new Interrupted());
    }, 50);
    await expect(probe).rejects.toThrow(Interrupted);
  });
});

test("a redirect back to http is not followed", async () => {
  const certificate = await certificateFor("127.0.0.1");
  const plain = await testbed.startServer(advertisement());
  const server = await testbed.startServer(lab.moved(plain.url), { tls: certificate });
  expect((await probeUrl(`${server.url}/a`, { ca: certificate.cert })).code).toBe("redirect");
  expect(plain.requests).toBe(0);
});
