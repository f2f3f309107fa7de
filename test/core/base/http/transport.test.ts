import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { platform } from "node:os";
import { describe, expect, test } from "vitest";
import { misbehaviours as lab } from "../../../support/misbehaviours.ts";
import { advertisement } from "../../../support/advertisement.ts";
import { type Behaviour, portOf } from "../../../support/mirror-server.ts";
import { isPublic } from "../../../../src/core/base/http/address.ts";
import { wholeAnswer } from "../../../../src/core/base/http/transport.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { probeUrl, type ProbingOptions, transportFor } from "../../../support/probing.ts";
import { startForwardProxy } from "../../../support/proxy.ts";
import { stallAddress } from "../../../support/stalled-address.ts";
import { testbed } from "../../../support/start-testbed.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";

const never = new AbortController().signal;
const quick = { timeoutMs: 400 };
const families = { ipv4: true, ipv6: false };
const resetAtFirstPacket: Behaviour = {
  atConnection: (socket) => socket.once("data", () => socket.resetAndDestroy()),
};

describe("the phase of a failure", () => {
  test.each<[string, string, string, ProbingOptions?]>([
    ["that refuses", `${testbed.refusedUrl}/a`, "refused"],
    ["that is private", "http://127.0.0.1/a", "blocked_address", { isAllowed: isPublic }],
    ["without a route", "http://mirror.test/a", "no_route", { hosts: "2001:db8::1 mirror.test", families }],
  ])("of an address %s is connect", async (_, url, code, options) => {
    expect(await probeUrl(url, options)).toMatchObject({ code, phase: "connect" });
  });

  test.skipIf(platform() !== "linux")("of an address that is silent is connect (needs Linux)", async () => {
    const dead = closeAfterTest(await stallAddress("127.0.0.1"));
    const result = await probeUrl(`http://127.0.0.1:${dead.port}/a`, quick);
    expect(result).toMatchObject({ code: "timeout", phase: "connect" });
  });

  test.each<[string, Behaviour, string, ProbingOptions?]>([
    ["plain HTTP", advertisement(), "tls"],
    ["a server that never shakes hands", lab.silentAtConnection(), "timeout", quick],
    ["a reset after the first packet", resetAtFirstPacket, "reset"],
  ])("of a handshake is tls: %s", async (_, behaviour, code, options) => {
    const server = await testbed.startServer(behaviour);
    const result = await probeUrl(`https://127.0.0.1:${server.port}/a`, options);
    expect(result).toMatchObject({ code, phase: "tls" });
  });

  test("on a connection that is used again is that of the request", async () => {
    let requests = 0;
    const server = await testbed.startServer((exchange) => {
      requests += 1;
      return requests === 1 ? advertisement()(exchange) : undefined;
    });
    const transport = closeAfterTest(transportFor().keepingConnections());
    expect((await probeUrl(`${server.url}/a`, { transport })).code).toBe("ok");
    const result = await probeUrl(`${server.url}/a`, { transport, ...quick });
    expect(result).toMatchObject({ code: "timeout", phase: "wait" });
    expect(server.connections).toBe(1);
  });

  test("through a proxy is connect until there is a tunnel, and then as without", async () => {
    const silent = await testbed.startServer(lab.silent());
    const secure = await testbed.startServer(advertisement(), { tls: await certificateFor("mirror.test") });
    const proxy = closeAfterTest(
      await startForwardProxy((target) => {
        if (target.endsWith(":443")) return `127.0.0.1:${secure.port}`;
        return target.endsWith(":80") ? `127.0.0.1:${silent.port}` : undefined;
      }),
    );
    const through = (url: string) => probeUrl(url, { proxy: proxy.url, ...quick });
    expect(await through("http://mirror.test:81/a")).toMatchObject({ code: "unreachable", phase: "connect" });
    expect(await through("https://mirror.test/a")).toMatchObject({ code: "tls", phase: "tls" });
    expect(await through("http://mirror.test/a")).toMatchObject({ code: "timeout", phase: "wait" });
  });
});

test("the text of a cause is on one line and bounded, even of a hostile certificate", async () => {
  const names = `evil\u001b[31m\n::error::${"x".repeat(300)}.test`;
  const tls = await certificateFor(names);
  const { port } = await testbed.startServer(advertisement(), { tls });
  const result = await probeUrl(`https://mirror.test:${port}/a`, {
    hosts: "127.0.0.1 mirror.test",
    ca: tls.cert,
  });
  expect(result.code).toBe("tls");
  expect(result.cause_text).not.toMatch(/\p{C}/u);
  expect(result.cause_text?.length).toBeLessThan(500);
});

describe("connections", () => {
  test("are used again only by a transport that keeps them, and closed with it", async () => {
    const server = await testbed.startServer(advertisement());
    const transport = transportFor();
    const kept = transport.keepingConnections();
    for (let count = 0; count < 3; count += 1) await probeUrl(`${server.url}/a`, { transport: kept });
    expect(server.requests).toBe(3);
    expect(server.connections).toBe(1);
    kept.close();
    for (let count = 0; count < 2; count += 1) await probeUrl(`${server.url}/a`, { transport });
    expect(server.connections).toBe(3);
    transport.close();
  });

  test("are not used again after an answer that was not read to its end", async () => {
    const long = await testbed.startServer(({ response }) => {
      response.writeHead(200, { connection: "close" }).end("x".repeat(9000));
    });
    const transport = transportFor({ maxBytes: 4096 }).keepingConnections();
    const options = { transport, kind: "http", options: { expectStatus: [204] } } as const;
    for (let count = 0; count < 3; count += 1) {
      const result = await probeUrl(`${long.url}/a`, options);
      expect(result).toMatchObject({ code: "http_status", http_status: 200 });
    }
    const unread = transport.request(new URL(long.url), () => undefined, never);
    await expect(unread).rejects.toMatchObject({ code: "too_large" });
    expect((await probeUrl(`${long.url}/a`, options)).code).toBe("http_status");
    transport.close();
  });

  test("one that the server reset while idle spoils no answer on the next", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      const isFirst = sockets.push(socket) === 1;
      socket
        .on("error", () => undefined)
        .once("data", () => {
          if (isFirst) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx");
          else socket.end("HTTP/1.1 200 OK\r\n\r\ny");
        });
    });
    await once(closeAfterTest(server).listen(0, "127.0.0.1"), "listening");
    const transport = closeAfterTest(transportFor().keepingConnections());
    const bodies: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const url = new URL(`http://127.0.0.1:${portOf(server)}`);
      const { body } = await transport.request(url, wholeAnswer, never);
      bodies.push(body.toString());
      sockets[0]?.resetAndDestroy();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect([bodies, sockets.length]).toEqual([["x", "y"], 2]);
  });
});

describe("a body that is read as it comes", () => {
  async function startEndless() {
    let written = 0;
    const server = await testbed.startServer(async ({ response }) => {
      const part = Buffer.alloc(65_536);
      while (!response.destroyed) {
        written += part.length;
        if (!response.write(part)) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
    });
    return { url: new URL(server.url), written: () => written };
  }

  test("waits for its reader on the server, and ends at the deadline", async () => {
    const { url, written } = await startEndless();
    const transport = closeAfterTest(transportFor());
    const deadline = AbortSignal.timeout(1500);
    const readBody = async (chunks: AsyncGenerator<Buffer>): Promise<void> => {
      await chunks.next();
      await new Promise(() => undefined);
    };
    const reading = transport.request(url, wholeAnswer, deadline, { readBody, maxBytes: 2 ** 30 });
    await expect(reading).rejects.toMatchObject({ name: "TimeoutError" });
    // Allows for socket buffers, which take several megabytes on Linux.
    expect(written()).toBeLessThan(32 * 1024 * 1024);
  });

  test("is bounded, and left empty for the parser", async () => {
    const { url } = await startEndless();
    let size = 0;
    const readBody = async (chunks: AsyncGenerator<Buffer>): Promise<void> => {
      for await (const chunk of chunks) size += chunk.length;
    };
    const transport = closeAfterTest(transportFor({ maxBytes: 100_000 }));
    const answer = await transport.request(url, wholeAnswer, never, { readBody });
    expect([size, answer.body.length, answer.complete, answer.bounded]).toEqual([100_000, 0, false, true]);
  });

  test("is a failure if it breaks off, but an error of its reader is ours", async () => {
    const server = await testbed.startServer(lab.truncatedBody());
    const transport = closeAfterTest(transportFor());
    const request = (readBody: (chunks: AsyncGenerator<Buffer>) => Promise<void>) =>
      transport.request(new URL(server.url), wholeAnswer, never, { readBody });
    const readAll = async (chunks: AsyncGenerator<Buffer>): Promise<void> => {
      while ((await chunks.next()).done !== true) continue;
    };
    await expect(request(readAll)).rejects.toMatchObject({ code: "reset", phase: "body" });
    const bug = new TypeError("a bug");
    await expect(request(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
