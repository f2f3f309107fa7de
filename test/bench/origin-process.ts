import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import process from "node:process";
import { portOf } from "../support/mirror-server.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";
import { startNameServer } from "../support/name-server.ts";

/** Addresses of the origins that nginx cannot provide. This process writes them to stdout. */
export interface OddPorts {
  /** Accepts connections and never answers. */
  readonly silent: number;
  /** Answers after a delay. */
  readonly slow: number;
  /** Address and port of a name server that gives every name a different loopback address. */
  readonly names: string;
}

const slowAfterMs = 300;

async function listen(server: Server): Promise<number> {
  server.listen({ port: 0, host: "0.0.0.0", backlog: 4096 });
  await once(server, "listening");
  return portOf(server);
}

/** `m1234.mirror.test` has the address 127.1.4.210. */
function addressOf(name: string): string {
  const number = Number(/\d+/.exec(name)?.[0] ?? 0);
  return `127.1.${(number >> 8) & 255}.${number & 255}`;
}

const silent = createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.resume();
});
const slow = createHttpServer((_, response) => {
  const answer = (): void => {
    response.writeHead(200, { "content-type": mediaType }).end(advertise(numberedRefs(8)));
  };
  setTimeout(answer, slowAfterMs);
});
const names = await startNameServer((name, family) => ({ addresses: family === 4 ? [addressOf(name)] : [] }));
const ports: OddPorts = { silent: await listen(silent), slow: await listen(slow), names: names.address };
process.stdout.write(`${JSON.stringify(ports)}\n`);
