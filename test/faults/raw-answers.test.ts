import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createResolver } from "../../src/core/base/http/resolve.ts";
import { probeUrl, transportFor } from "../support/probing.ts";
import { startServer } from "../support/mirror-server.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";
import { closeAfterFile } from "../support/close-after-test.ts";
import { seed, trials } from "../support/trials.ts";
import { codes } from "../../src/core/kinds/kinds.ts";

const body = advertise(numberedRefs(2));
const type = `Content-Type: ${mediaType}`;

const statuses = [0, 99, 100, 101, 102, 103, 199, 200, 200, 204, 205, 301, 304, 407];
const status = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...statuses) }, fc.nat(1100));
const token = fc.string({
  unit: fc.constantFrom(...Array.from("aX-_ :;,\t\0\r\n\x7f\xe9(\"'0")),
  maxLength: 12,
});

const goodLine = status.map((code) => `HTTP/1.1 ${String(code).padStart(3, "0")} X\r\n`);
const badLine = fc
  .record({
    version: fc.constantFrom(..."HTTP/1.1|HTTP/1.0|HTTP/0.9|HTTP/2.0|http/1.1|ICY|HTTP/1.|".split("|")),
    status: fc.oneof(status.map(String), fc.constantFrom("", "2", "20", "2000", "-20", "0x1", "abc")),
    reason: fc.oneof(fc.constantFrom("", " ", " OK"), token),
    end: fc.constantFrom("\r\n", "\n", "\r", ""),
  })
  .map(({ version, status, reason, end }) => `${version} ${status}${reason}${end}`);
const statusLine = fc.oneof({ weight: 6, arbitrary: goodLine }, badLine);

const goodHeader = fc.constantFrom(
  type,
  `Content-Length: ${body.length}`,
  ...`Content-Length: 0|Content-Length: 5|Transfer-Encoding: chunked|Content-Encoding: gzip|Connection: close
    |Connection: upgrade|Connection: keep-alive|Keep-Alive: timeout=1|Upgrade: websocket|Upgrade: h2c
    |Proxy-Authenticate: Basic|Retry-After: 1|Trailer: X|Location: /elsewhere`.split(/\s*\|/),
);
const badHeader = fc.oneof(
  fc.constantFrom(
    ...["Content-Length: -1", "Content-Length: 99999999999999999999", "Transfer-Encoding: gzip, chunked"],
    ...["Transfer-Encoding: identity", "Keep-Alive: timeout=-1"],
  ),
  token.map((to) => `Location: ${to}`),
  fc.tuple(token, token).map(([name, value]) => `${name}: ${value}`),
  token,
);
const header = fc.oneof({ weight: 15, arbitrary: goodHeader }, badHeader);

const lineEnd = fc.oneof({ weight: 7, arbitrary: fc.constant("\r\n") }, fc.constantFrom("\n", "\r", ""));
const headers = fc
  .tuple(fc.array(header, { maxLength: 4 }), lineEnd)
  .map(([lines, end]) => lines.map((line) => line + end).join(""));
const head = fc.tuple(statusLine, headers).map(([line, lines]) => `${line}${lines}\r\n`);

const size = fc.oneof(
  fc.nat(20).map((size) => size.toString(16)),
  fc.constantFrom("", "-1", "fffffffff", "zz", "000"),
);
const chunk = fc
  .tuple(size, fc.constantFrom("", ";x", ";x=1", ';x="'), token)
  .map(([size, extension, data]) => `${size}${extension}\r\n${data}\r\n`);
const garbage = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const more = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(body, "0\r\n\r\n", "\r\n", "0\r\nX: 1\r\n\r\n") },
  { weight: 3, arbitrary: head },
  chunk,
  garbage,
);

/** Anything that a server can send, most of it close to HTTP. */
const rawAnswer = fc.record({
  parts: fc
    .tuple(fc.oneof({ weight: 8, arbitrary: head }, more), fc.array(more, { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest].map((text) => Buffer.from(text, "latin1"))),
  then: fc.constantFrom("end", "end", "end", "end", "reset", "stall"),
});

type RawAnswer = typeof rawAnswer extends fc.Arbitrary<infer Value> ? Value : never;

const good = `HTTP/1.1 200 OK\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const request = /^(?:GET|CONNECT) (?:http:\/\/[^/]*)?\/?(?:127\.1\.\d+\.)?(?<index>\d+)[/:]/;

/** The server sends `answers[INDEX]` for `/INDEX/…` and for CONNECT requests. For other paths it sends a good advertisement. */
let answers: readonly RawAnswer[] = [];

const atConnection = (socket: Socket): void => {
  socket.on("data", (data) => {
    const answer = answers[Number(request.exec(data.toString("latin1"))?.groups?.["index"] ?? -1)];
    if (answer === undefined) socket.write(good);
    else void write(socket, answer);
  });
};
const server = closeAfterFile(await startServer({ atConnection }, { host: "0.0.0.0" }));

async function write(socket: Socket, { parts, then }: RawAnswer): Promise<void> {
  for (const bytes of parts) {
    if (!socket.writable) return;
    socket.write(bytes);
    // The next part waits for a new turn of the event loop, so that it arrives as a separate packet.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (then === "end") socket.end();
  if (then === "reset") socket.resetAndDestroy();
}

const known: ReadonlySet<string> = new Set(codes);
// No request leaves this machine, wherever a response redirects.
const isAllowed = (address: string): boolean => address.startsWith("127.");
const resolver = createResolver(new Map(), ["127.0.0.1:9"]);

/** Probes each batch concurrently. If undici throws outside a request, Vitest notices and fails the test run. */
async function everyBatch(probe: (place: number, address: string) => Promise<string>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(rawAnswer, { minLength: 1, maxLength: 120, size: "max" }), async (drawn) => {
      answers = drawn;
      const seen = await Promise.all(
        answers.map((_, place) => probe(place, `127.1.${place >> 8}.${place & 255}`)),
      );
      expect(seen.filter((code) => !known.has(code))).toEqual([]);
    }),
    { seed, numRuns: trials(4, 400), endOnFailure: false },
  );
}

test.each(["git", "http"] as const)("whatever a server answers is an observation of %s", async (kind) => {
  await everyBatch(async (place, address) => {
    const url = `http://${address}:${server.port}/${place}/`;
    return (await probeUrl(url, { kind, timeoutMs: 250, isAllowed, resolver })).code;
  });
});

test("whatever a server answers, the next request of the connection is an observation too", async () => {
  await everyBatch(async (place, address) => {
    const transport = transportFor({ isAllowed, resolver }).keepingConnections();
    const origin = `http://${address}:${server.port}`;
    const options = { transport, timeoutMs: 250, kind: "http" } as const;
    try {
      const { code } = await probeUrl(`${origin}/${place}/`, options);
      const next = await probeUrl(`${origin}/good`, { ...options, timeoutMs: 10_000 });
      return known.has(code) ? next.code : code;
    } finally {
      transport.close();
    }
  });
});

test.each(["http", "https"] as const)("whatever a proxy answers of %s is an observation", async (scheme) => {
  const proxy = `http://127.0.0.1:${server.port}`;
  const proxies = { httpProxy: proxy, httpsProxy: proxy, noProxy: "" };
  await everyBatch(async (_, address) => {
    const url = `${scheme}://${address}/`;
    return (await probeUrl(url, { timeoutMs: 250, isAllowed, resolver, proxies })).code;
  });
});

test("whatever answers a TLS handshake is an observation", async () => {
  await everyBatch(async (place, address) => {
    const url = `https://${address}:${server.port}/${place}/`;
    return (await probeUrl(url, { timeoutMs: 250, isAllowed, resolver })).code;
  });
});
