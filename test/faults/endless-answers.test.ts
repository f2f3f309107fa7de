import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { mediaType } from "../support/advertisement.ts";
import { type Handler, startServer } from "../support/mirror-server.ts";
import { headRoomBytes } from "../../src/core/base/http/connection.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { certificateFor } from "../support/certificates.ts";
import { probeUrl, type ProbingOptions } from "../support/probing.ts";
import { startForwardProxy } from "../support/proxy.ts";

/** What the server writes first, and what it then writes over and over again. */
type Flood = readonly [string, string];

const head = "HTTP/1.1 200 OK\r\n";
const chunked = `${head}Content-Type: ${mediaType}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const floods: Readonly<Record<string, Flood>> = {
  "interim answers": ["", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  "interim answers with headers": ["", "HTTP/1.1 102 X\r\nLink: </a>; rel=preload\r\n\r\n"],
  "chunk extensions": [`${chunked}1;`, "extension=value;"],
  "a reason phrase": ["HTTP/1.1 200 ", "On and on"],
  "leading line ends": ["", "\r\n"],
  "blanks in a header": [`${head}X-Blank:`, "        "],
  "zeros in a chunk size": [chunked, "00000000"],
  trailers: [`${chunked}0\r\n`, "X-Trailer: on\r\n"],
  "headers that are empty": [head, "X:\r\n"],
};

/** How many bytes a probe may read beyond the limit before it notices. TLS and libuv read 64 KiB at a time. */
const slack = 256 * 1024;
const maxBytes = 65_536;

async function startFlood([start, more]: Flood, tls?: { key: string; cert: string }): Promise<number> {
  const lot = Buffer.from(more.repeat(Math.ceil(65_536 / more.length)), "latin1");
  const flood = (socket: Socket): void => {
    socket.write(start);
    const pour = (): void => {
      while (socket.writable && socket.write(lot));
    };
    socket.on("drain", pour);
    pour();
  };
  const atConnection = (socket: Socket): void => {
    socket.once("data", () => {
      flood(socket);
    });
  };
  const overTls: Handler = ({ request }) => {
    flood(request.socket);
  };
  return closeAfterTest(await startServer(tls === undefined ? { atConnection } : overTls, { tls })).port;
}

/** Expects a code, and that the probe's connections together read little more than its limit. */
async function expectBounded(
  url: string,
  options: ProbingOptions,
  codes: readonly string[] = ["too_large", "not_http"],
): Promise<void> {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => {
    if (typeof message === "object" && message !== null && "socket" in message)
      if (message.socket instanceof Socket) sockets.push(message.socket);
  };
  subscribe("net.client.socket", note);
  try {
    expect(codes).toContain((await probeUrl(url, { ...options, timeoutMs: 20_000, maxBytes })).code);
  } finally {
    unsubscribe("net.client.socket", note);
  }
  // The proxy, which runs in this process, connects after the probe.
  const own = options.proxies === undefined ? sockets : sockets.slice(0, 1);
  const read = own.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(maxBytes + headRoomBytes + slack);
}

test.each(Object.entries(floods))("%s without end are read within bounds", async (_, flood) => {
  const url = `http://127.0.0.1:${await startFlood(flood)}/a`;
  await expectBounded(url, { kind: "http" }, [
    "too_large",
    // undici refuses some floods before they exceed the limit.
    "not_http",
    // Some floods begin after the headers, and this kind of probe reads only the headers before it decides.
    "ok",
  ]);
  await expectBounded(url, { kind: "git" });
  const certificate = await certificateFor("127.0.0.1");
  const secure = `https://127.0.0.1:${await startFlood(flood, certificate)}/a`;
  await expectBounded(secure, { kind: "git", ca: certificate.cert });
});

test.each(["http", "https"] as const)("%s through a proxy is read within bounds", async (scheme) => {
  const certificate = await certificateFor("mirror.test");
  const flood = floods["interim answers"] ?? ["", ""];
  const port = await startFlood(flood, scheme === "https" ? certificate : undefined);
  const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${port}`));
  const proxies = { httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: "" };
  await expectBounded(`${scheme}://mirror.test/a`, { proxies, ca: certificate.cert }, ["too_large"]);
});

test.each([
  // undici treats the first interim response as a refused tunnel.
  ["interim answers", "unreachable"],
  ["a reason phrase", "too_large"],
])("a proxy that answers CONNECT with %s without end is read within bounds", async (name, code) => {
  const port = await startFlood(floods[name] ?? ["", ""]);
  const proxies = { httpProxy: `http://127.0.0.1:${port}`, httpsProxy: "", noProxy: "" };
  await expectBounded("http://mirror.test/a", { proxies }, [code]);
});
