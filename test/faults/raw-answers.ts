import type { Socket } from "node:net";
import fc from "fast-check";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";
import { startServer } from "../../src/testbed/server.ts";

/** What a server writes into a connection, part by part, and how it goes on after that. */
export interface RawAnswer {
  readonly parts: readonly Buffer[];
  readonly then: "end" | "reset" | "stall";
}

const body = advertise(numberedRefs(2));
const type = `Content-Type: ${mediaType}`;

const status = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 99, 100, 101, 102, 103, 199, 200, 200, 204, 205, 301, 304, 407),
  },
  fc.nat(1100),
);
const token = fc.string({
  unit: fc.constantFrom(...Array.from("aX-_ :;,\t\0\r\n\x7f\xe9(\"'0")),
  maxLength: 12,
});

const goodLine = status.map((code) => `HTTP/1.1 ${String(code).padStart(3, "0")} X\r\n`);
const badLine = fc
  .record({
    version: fc.constantFrom(
      "HTTP/1.1",
      "HTTP/1.0",
      "HTTP/0.9",
      "HTTP/2.0",
      "http/1.1",
      "ICY",
      "HTTP/1.",
      "",
    ),
    status: fc.oneof(status.map(String), fc.constantFrom("", "2", "20", "2000", "-20", "0x1", "abc")),
    reason: fc.oneof(fc.constantFrom("", " ", " OK"), token),
    end: fc.constantFrom("\r\n", "\n", "\r", ""),
  })
  .map(({ version, status, reason, end }) => `${version} ${status}${reason}${end}`);
const statusLine = fc.oneof({ weight: 6, arbitrary: goodLine }, badLine);

const goodHeader = fc.constantFrom(
  type,
  `Content-Length: ${body.length}`,
  "Content-Length: 0",
  "Content-Length: 5",
  "Transfer-Encoding: chunked",
  "Content-Encoding: gzip",
  "Connection: close",
  "Connection: upgrade",
  "Connection: keep-alive",
  "Keep-Alive: timeout=1",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Proxy-Authenticate: Basic",
  "Retry-After: 1",
  "Trailer: X",
  "Location: /elsewhere",
);
const badHeader = fc.oneof(
  fc.constantFrom(
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: identity",
    "Keep-Alive: timeout=-1",
  ),
  token.map((to) => `Location: ${to}`),
  fc.tuple(token, token).map(([name, value]) => `${name}: ${value}`),
  token,
);
const header = fc.oneof({ weight: 15, arbitrary: goodHeader }, badHeader);

const headers = fc
  .tuple(
    fc.array(header, { maxLength: 4 }),
    fc.oneof({ weight: 7, arbitrary: fc.constant("\r\n") }, fc.constantFrom("\n", "\r", "")),
  )
  .map(([lines, end]) => lines.map((line) => line + end).join(""));
const head = fc.tuple(statusLine, headers).map(([line, lines]) => `${line}${lines}\r\n`);

const chunk = fc
  .tuple(
    fc.oneof(
      fc.nat(20).map((size) => size.toString(16)),
      fc.constantFrom("", "-1", "fffffffff", "zz", "000"),
    ),
    fc.constantFrom("", ";x", ";x=1", ';x="'),
    token,
  )
  .map(([size, extension, data]) => `${size}${extension}\r\n${data}\r\n`);
const garbage = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const more = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(body, "0\r\n\r\n", "\r\n", "0\r\nX: 1\r\n\r\n") },
  { weight: 3, arbitrary: head },
  chunk,
  garbage,
);

/** Anything that a server can say, most of it close to HTTP. */
export const rawAnswer: fc.Arbitrary<RawAnswer> = fc.record({
  parts: fc
    .tuple(fc.oneof({ weight: 8, arbitrary: head }, more), fc.array(more, { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest].map((text) => Buffer.from(text, "latin1"))),
  then: fc.oneof(
    { weight: 8, arbitrary: fc.constant("end" as const) },
    { weight: 2, arbitrary: fc.constant("reset" as const) },
    { weight: 1, arbitrary: fc.constant("stall" as const) },
  ),
});

export interface RawServer {
  readonly port: number;
  /** Lets the server answer so at `/INDEX/…`, and at any other path by a good advertisement. */
  readonly answer: (answers: readonly RawAnswer[]) => void;
  readonly close: () => Promise<void>;
}

const good = `HTTP/1.1 200 OK\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const request = /^(?:GET|CONNECT) (?:http:\/\/[^/]*)?\/?(?:127\.1\.\d+\.)?(?<index>\d+)[/:]/;

/** Starts a server that answers requests, CONNECT too, in raw bytes. */
export async function startRawServer(): Promise<RawServer> {
  let answers: readonly RawAnswer[] = [];
  const atConnection = (socket: Socket): void => {
    socket.on("data", (data) => {
      const answer = answers[Number(request.exec(data.toString("latin1"))?.groups?.["index"] ?? -1)];
      if (answer === undefined) socket.write(good);
      else void write(socket, answer);
    });
  };
  const server = await startServer({ atConnection }, { host: "0.0.0.0" });
  const answer = (list: readonly RawAnswer[]): void => {
    answers = list;
  };
  return { port: server.port, answer, close: server.close };
}

async function write(socket: Socket, { parts, then }: RawAnswer): Promise<void> {
  for (const bytes of parts) {
    if (!socket.writable) return;
    socket.write(bytes);
    // In a turn of its own, so that it arrives as a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (then === "end") socket.end();
  if (then === "reset") socket.resetAndDestroy();
}
