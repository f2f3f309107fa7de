import type { ServerResponse } from "node:http";
import { Readable, type Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as behaviours from "../../src/features/demo/mirror-server.ts";
import type { Greeter, Handler } from "./mirror-server.ts";
import {
  advertise,
  advertisement,
  mediaType,
  numberedRefs,
  objectId,
  pktLine,
  servicePackets,
} from "./advertisement.ts";
import { nowhere } from "./loopback.ts";

const { answer, loginPage, silent, sshBanner } = behaviours;

const body = advertise(numberedRefs(2));
/** Ends in the middle of the first ref. */
const cutBody = body.slice(0, servicePackets().length + 24);

function redirect(location = nowhere): Handler {
  return answer(302, { location });
}

/** Sends only the start of an advertisement, with a larger Content-Length. */
function sendStart(response: ServerResponse, then: () => void): void {
  response.writeHead(200, { "content-type": mediaType, "content-length": body.length });
  response.write(cutBody, then);
}

/** Sends these bytes instead of an HTTP answer, and closes the connection. */
function raw(bytes: string): Handler {
  return ({ request }) => {
    request.socket.end(bytes);
  };
}

/** Writes a byte every 5 ms for as long as the client reads. */
function drip(into: Writable, response: ServerResponse): void {
  const timer = setInterval(() => into.write("0"), 5);
  response.once("close", () => {
    clearInterval(timer);
  });
}

/** Writes numbered parts for as long as the client reads. */
function pour(part: (count: number) => string, into: Writable, response: ServerResponse): void {
  const source = Readable.from(parts(part));
  source.pipe(into);
  response.once("close", () => source.destroy());
}

/** Yields many parts at a time, and lets this process do other work in between. */
async function* parts(part: (count: number) => string): AsyncGenerator<string> {
  for (let first = 0; ; first += 100) {
    yield Array.from({ length: 100 }, (_, index) => part(first + index)).join("");
    await setImmediate();
  }
}

const ok = "HTTP/1.1 200 OK";
const type = `Content-Type: ${mediaType}`;
const chunkedHead = `${ok}\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

/**
 * Every misbehaviour by name: those of the demo, and those that only tests need. Each function creates a new behaviour, so
 * servers share nothing. Most behaviours are handlers. `sshBanner` and those whose names end in `AtConnection` act on
 * connections, so they need a separate server.
 */
export const misbehaviours = {
  ...{ loginPage, silent, sshBanner, redirect },
  moved: (mirrorUrl = nowhere) => behaviours.moved(mirrorUrl),
  slow: (delayMs = 200, then: Handler = advertisement()) => behaviours.slow(delayMs, then),
  flaky: (failures = 1, then: Handler = advertisement()) => behaviours.flaky(failures, then),

  notFound: () => answer(404),
  serverError: () => answer(500),
  tooManyRequests: (retryAfter = 30) => answer(429, { "retry-after": String(retryAfter) }),
  /** What a Git forge answers for a private or missing repository. */
  unauthorized: () => answer(401, { "www-authenticate": 'Basic realm="Testbed"' }),
  json: () => answer(200, { "content-type": "application/json" }, '{"message":"fine"}\n'),

  redirectLoop: (): Handler => (exchange) => redirect(exchange.request.url ?? "/")(exchange),
  /** Redirects this many times, then answers. The query counts the steps. */
  redirectChain:
    (steps = 3, finish: Handler = advertisement()): Handler =>
    (exchange) => {
      const [pathname = "/", query = ""] = (exchange.request.url ?? "/").split("?", 2);
      const parameters = new URLSearchParams(query);
      const step = Number(parameters.get("step") ?? 0);
      if (step >= steps) return finish(exchange);
      parameters.set("step", String(step + 1));
      return redirect(`${pathname}?${parameters.toString()}`)(exchange);
    },
  redirectWithoutLocation: () => answer(302),
  redirectToFtp: () => redirect("ftp://127.0.0.1/packages"),
  redirectWithCredentials: (location = nowhere) => redirect(location.replace("://", "://someone:secret@")),

  truncatedBody: (): Handler => (exchange) => {
    sendStart(exchange.response, () => exchange.request.socket.end());
  },
  resetMidway: (): Handler => (exchange) => {
    // Without the pause, data and reset arrive together, and Node.js reports an orderly end.
    sendStart(exchange.response, () => setTimeout(exchange.reset, 50));
  },
  reset: (): Handler => (exchange) => {
    exchange.reset();
  },
  closeWithoutAnswer: () => raw(""),
  /** Resets connections before TLS begins. */
  resetAtConnection: (): Greeter => ({ atConnection: (connection) => connection.resetAndDestroy() }),
  /** Never answers, so over TLS the handshake hangs. */
  silentAtConnection: (): Greeter => ({ atConnection: (connection) => connection.resume() }),
  /** Switches protocols, but lacks the headers that name the new protocol. */
  unaskedSwitch: () => raw(`HTTP/1.1 101 Switching Protocols\r\n${type}\r\n\r\n${body}`),
  /** The first chunk has no size. */
  malformedChunks: () => raw(`${chunkedHead}size unknown\r\n${body}\r\n0\r\n\r\n`),

  /** Sends an advertisement byte by byte and never finishes its first ref. */
  drip: (): Handler => (exchange) => {
    const response = exchange.response.writeHead(200, { "content-type": mediaType });
    response.write(`${servicePackets()}fff0`);
    drip(response, response);
  },
  dripHeaders: (): Handler => (exchange) => {
    exchange.request.socket.write(`${ok}\r\nX-Drip: `);
    drip(exchange.request.socket, exchange.response);
  },

  endlessBody: (): Handler => (exchange) => {
    const response = exchange.response.writeHead(200, { "content-type": "text/plain" });
    pour(() => "On and on.\n", response, response);
  },
  /** Has no HEAD. */
  endlessAdvertisement: (): Handler => (exchange) => {
    const response = exchange.response.writeHead(200, { "content-type": mediaType });
    response.write(servicePackets());
    pour((count) => pktLine(`${objectId(count)} refs/heads/b${count}\n`), response, response);
  },
  endlessHeaders: (): Handler => (exchange) => {
    exchange.request.socket.write(`${ok}\r\n`);
    pour((count) => `X-Header-${count}: on and on\r\n`, exchange.request.socket, exchange.response);
  },
};

export type Misbehaviour = keyof typeof misbehaviours;
