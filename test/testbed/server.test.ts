import { request as askHttps } from "node:https";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { generate } from "selfsigned";
import { beforeAll, describe, expect, test } from "vitest";
import { closeAfterTest } from "../support/close-after-test.ts";
import { advertise, advertisement, numberedRefs } from "../support/advertisement.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import {
  type Behaviour,
  type RunningServer,
  type ServerOptions,
  startServer,
} from "../../src/testbed/server.ts";
import { errorCode } from "../../src/base/errors.ts";

const good = advertise(numberedRefs(2));
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

async function serve(behaviour: Behaviour, options?: ServerOptions): Promise<RunningServer> {
  return closeAfterTest(await startServer(behaviour, options));
}

describe("addresses", () => {
  test("a server listens on 127.0.0.1, on a port of its own", async () => {
    const [first, second] = await Promise.all([serve(advertisement()), serve(advertisement())]);
    expect(first.url).toBe(`http://127.0.0.1:${first.port}`);
    expect(first.port).not.toBe(second.port);
  });

  test.runIf(hasIpv6)("and on ::1 where it is asked to and the machine has IPv6", async () => {
    const server = await serve(advertisement(), { host: "::1" });
    expect(server.url).toBe(`http://[::1]:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe(good);
  });

  test("an address the machine does not have is the system's error", async () => {
    await expect(startServer(advertisement(), { host: "192.0.2.1" })).rejects.toMatchObject({
      code: "EADDRNOTAVAIL",
    });
  });
});

describe("over TLS", () => {
  let tls: { key: string; cert: string };
  beforeAll(async () => {
    const made = await generate([{ name: "commonName", value: "127.0.0.1" }], { keyType: "ec" });
    tls = { key: made.private, cert: made.cert };
  });

  function ask(url: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = askHttps(url, { rejectUnauthorized: false, agent: false, timeout: 300 }, (response) => {
        text(response).then(resolve, reject);
      });
      request.on("timeout", () => request.destroy(new Error("timeout")));
      request.on("error", reject);
      request.end();
    });
  }

  test("a good answer comes as it does without", async () => {
    const server = await serve(advertisement(), { tls });
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    expect(await ask(server.url)).toBe(good);
    expect([server.requests, server.connections]).toEqual([1, 1]);
  });

  test.each(["reset", "resetMidway", "resetAtConnection"] as const)("%s is a real reset", async (name) => {
    const server = await serve(misbehaviours[name](), { tls });
    expect(await ask(server.url).catch(errorCode)).toBe("ECONNRESET");
  });

  test("silentAtConnection leaves the handshake hanging", async () => {
    const server = await serve(misbehaviours.silentAtConnection(), { tls });
    await expect(ask(server.url)).rejects.toThrow("timeout");
    expect(server.connections).toBe(1);
  });

  test("sshBanner is not TLS", async () => {
    const server = await serve(misbehaviours.sshBanner(), { tls });
    expect(await ask(server.url).catch(errorCode)).toMatch(/^(?:EPROTO|ERR_SSL_)/);
  });
});
