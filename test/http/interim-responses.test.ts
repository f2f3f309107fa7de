import { once } from "node:events";
import { createServer, Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { portOf } from "../../src/testbed/server.ts";
import { InterimResponses } from "../../src/http/interim-responses.ts";
import { smart } from "../support/raw-answer.ts";
import { probeUrl, transportFor } from "../support/probing.ts";

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";

/** What is read of a socket on which these chunks came. */
function readOf(chunks: Buffer[], interim = new InterimResponses()): string {
  const socket = new Socket();
  socket.read = (): Buffer | null => chunks.shift() ?? null;
  interim.removeFrom(socket);
  let text = "";
  for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read()) {
    text += chunk.toString("latin1");
  }
  return text;
}

/** A text as chunks, cut at these places. */
function chunksOf(text: string, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => Buffer.from(text.slice(cuts[index], end), "latin1"));
}

test("interim answers are taken out wherever they are cut, and nothing else is", () => {
  const heads = fc.constantFrom(
    goOn,
    "HTTP/1.0 100\r\n\r\n",
    "HTTP/1.1 102 \r\nA: b\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>; x\r\n\r\n",
  );
  const answers = fc.constantFrom(
    smart(),
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 1000 X\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "\r\n\r\n",
  );
  fc.assert(
    fc.property(
      fc.array(heads, { maxLength: 4 }),
      answers,
      fc.array(fc.nat(), { maxLength: 12 }),
      (interim, answer, places) => {
        expect(readOf(chunksOf(interim.join("") + answer, places))).toBe(answer);
      },
    ),
  );
});

test("a head that has no end is left to the parser, so that it is bounded there", () => {
  const endless = `HTTP/1.1 100 Continue\r\nX: ${"x".repeat(20_000)}`;
  expect(readOf(chunksOf(endless, [5, 900, 15_000]))).toBe(endless);
});

test("a connection on which each answer follows an interim one is used again", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => socket.destroy());
    socket.on("data", () => socket.write(Buffer.from(goOn + smart(), "latin1")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${portOf(server)}`;
  const transport = transportFor().keepingConnections();
  for (let count = 0; count < 3; count += 1) {
    expect((await probeUrl(`${origin}/a`, { transport })).code).toBe("ok");
  }
  expect(connections).toBe(1);
  transport.close();
  server.close();
});
