import { describe, expect, onTestFinished, test } from "vitest";
import { isPublic } from "../../../../src/core/base/http/address.ts";
import type { Step } from "../../../../src/core/base/http/trace.ts";
import { advertisement } from "../../../support/advertisement.ts";
import { misbehaviours as lab } from "../../../support/misbehaviours.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { addressesOf, startResolver } from "../../../support/name-server.ts";
import { probeUrl, type ProbingOptions } from "../../../support/probing.ts";
import { startForwardProxy } from "../../../support/proxy.ts";
import { testbed } from "../../../support/start-testbed.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";

const hosts = "127.0.0.1 mirror.test";

async function explain(url: string, options: ProbingOptions = {}) {
  const steps: Step[] = [];
  const result = await probeUrl(url, { ...options, onStep: (step) => steps.push(step) });
  return { result, steps, names: steps.map(({ step }) => step).join(" ") };
}

function stepOf<Name extends Step["step"]>(steps: readonly Step[], name: Name) {
  const found = steps.find((step): step is Extract<Step, { step: Name }> => step.step === name);
  if (found === undefined) throw new Error(`There is no step ${name}.`);
  return found;
}

describe("a probe that is explained", () => {
  test.each(["git", "http"] as const)("shows each step of a good answer: %s", async (kind) => {
    const server = await testbed.startServer(advertisement());
    const { result, steps, names } = await explain(`http://mirror.test:${server.port}/a`, { kind, hosts });
    expect(result.code).toBe("ok");
    expect(names).toBe("attempt resolve connect connected request response body");
    const resolved = { hostname: "mirror.test", addresses: ["127.0.0.1"], source: "hosts" };
    expect(stepOf(steps, "resolve")).toMatchObject(resolved);
    expect(stepOf(steps, "connected")).toMatchObject({ address: "127.0.0.1", port: server.port });
    const { line, headers } = stepOf(steps, "request");
    expect(line).toBe(`GET /a${kind === "git" ? "/info/refs?service=git-upload-pack" : ""} HTTP/1.1`);
    expect(Object.fromEntries(headers)).toMatchObject({
      host: `mirror.test:${server.port}`,
      "user-agent": "mirrorfeed/test (+https://example.org)",
    });
    const response = stepOf(steps, "response");
    expect(response.status).toBe(200);
    expect(response.header_count).toBe(response.headers.length);
  });

  test("shows what a name server says", async () => {
    const { resolver } = await startResolver(addressesOf(["192.0.2.1", "127.0.0.1"], []));
    const server = await testbed.startServer(advertisement());
    const isAllowed = (address: string) => address === "127.0.0.1";
    const { steps } = await explain(`http://mirror.test:${server.port}/a`, { resolver, isAllowed });
    expect(stepOf(steps, "resolve")).toMatchObject({ addresses: ["192.0.2.1", "127.0.0.1"], source: "dns" });
    const blocked = { step: "not_connected", address: "192.0.2.1", code: "blocked_address" };
    expect(stepOf(steps, "not_connected")).toEqual(blocked);
  });

  test.each([
    ["nxdomain", "ENOTFOUND"],
    ["servfail", "ESERVFAIL"],
  ] as const)("shows why a name has no address: %s", async (reply, cause) => {
    const { resolver } = await startResolver(() => reply);
    const { result, names } = await explain("http://mirror.test/a", { resolver });
    expect(result).toMatchObject({ code: "dns", phase: "resolve", cause });
    expect(names).toBe("attempt failure");
  });

  test("shows an address that is refused, and none for a private one", async () => {
    const { result, steps } = await explain(`${testbed.refusedUrl}/a`);
    expect(result.cause_text).toMatch(/^connect ECONNREFUSED /);
    expect(stepOf(steps, "not_connected")).toMatchObject({ code: "refused", cause: "ECONNREFUSED" });
    const blocked = await explain("http://127.0.0.1/a", { isAllowed: isPublic });
    expect(blocked.names).toBe("attempt failure");
  });

  test("shows attempts, pauses and redirects, and each request of them", async () => {
    const flaky = await testbed.startServer(lab.flaky(1));
    const { names } = await explain(`${flaky.url}/a`, { attempts: 3 });
    expect(names).toMatch(/^attempt connect connected request .*pause attempt connect .*response body$/);
    const chain = await testbed.startServer(lab.redirectChain(2));
    const { steps } = await explain(`${chain.url}/a`, { kind: "http" });
    expect(steps.filter(({ step }) => step === "redirect")).toHaveLength(2);
    expect(steps.filter(({ step }) => step === "request")).toHaveLength(3);
  });

  test("is bounded and hides credentials, whatever the head holds", async () => {
    const server = await testbed.startServer(({ response }) => {
      for (let index = 0; index < 500; index += 1) response.setHeader(`x-${index}`, "y".repeat(100));
      response.setHeader("x-0", "z".repeat(5000));
      response.setHeader("x-1", "https://user:secret@example.org/");
      response.writeHead(200).end();
    });
    const { steps } = await explain(`${server.url}/a`, { kind: "http" });
    const { headers, header_count } = stepOf(steps, "response");
    expect(headers).toHaveLength(100);
    expect(header_count).toBeGreaterThan(500);
    expect(headers[0]?.[1]).toHaveLength(500);
    expect(headers[1]?.[1]).toBe("https://example.org/");
  });
});

describe("TLS that is explained", () => {
  test("shows protocol, cipher and certificate", async () => {
    const certificate = await certificateFor("127.0.0.1");
    const server = await testbed.startServer(advertisement(), { tls: certificate });
    const { result, steps } = await explain(`${server.url}/a`, { ca: certificate.cert });
    expect(result.code).toBe("ok");
    expect(stepOf(steps, "tls")).toMatchObject({
      protocol: "TLSv1.3",
      cipher: expect.stringMatching(/^TLS_/),
      accepted: true,
      cause: undefined,
      certificate: {
        subject: "CN=127.0.0.1",
        issuer: "CN=127.0.0.1",
        names: "IP Address:127.0.0.1",
        expires: result.tls_expires_at,
      },
    });
  });

  test.each<[string, string, { expired?: boolean; usage?: "clientAuth" }, boolean, string]>([
    ["expired", "mirror.test", { expired: true }, true, "CERT_HAS_EXPIRED"],
    ["for another name", "other.test", {}, true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["self-signed", "mirror.test", {}, false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["for clients", "mirror.test", { usage: "clientAuth" }, true, "INVALID_PURPOSE"],
  ])("a certificate %s is shown, and refused as it is without", async (_, name, options, isKnown, cause) => {
    const certificate = await certificateFor(name, options);
    const server = await testbed.startServer(advertisement(), { tls: certificate });
    const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${server.port}`));
    const url = `https://mirror.test:${server.port}/a`;
    const direct = { hosts, ca: isKnown ? certificate.cert : undefined };
    const proxied = { ...direct, proxy: proxy.url };
    // This variable must not turn off certificate checks.
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    onTestFinished(() => {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    });
    for (const way of [direct, proxied]) {
      const { result, steps } = await explain(url, way);
      const { code, phase } = await probeUrl(url, way);
      expect(result).toMatchObject({ code, phase, cause });
      expect([code, phase]).toEqual(["tls", "tls"]);
      expect(stepOf(steps, "tls")).toMatchObject({
        accepted: false,
        cause,
        certificate: { subject: `CN=${name}`, names: `DNS:${name}` },
      });
    }
    expect(server.requests).toBe(0);
  });

  test("that never came to a certificate has no such step", async () => {
    const server = await testbed.startServer(advertisement());
    const { result, names } = await explain(`https://127.0.0.1:${server.port}/a`);
    expect(result).toMatchObject({ code: "tls", phase: "tls" });
    expect(names).toBe("attempt connect connected failure");
  });
});

test("a proxy is shown with its tunnel, and its password is not", async () => {
  const certificate = await certificateFor("mirror.test");
  const server = await testbed.startServer(advertisement(), { tls: certificate });
  const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${server.port}`, "user:secret"));
  const options = { proxy: proxy.url.replace("//", "//user:secret@"), ca: certificate.cert };
  const { result, steps, names } = await explain("https://mirror.test/a", options);
  expect(result.code).toBe("ok");
  expect(names).toBe("attempt proxy request tls request response body");
  const { line, headers } = stepOf(steps, "request");
  expect(line).toBe("CONNECT mirror.test:443 HTTP/1.1");
  expect(headers).toContainEqual(["proxy-authorization", "(hidden)"]);
  expect(JSON.stringify(steps)).not.toMatch(/secret|dXNlcjpzZWNyZXQ/);
});
