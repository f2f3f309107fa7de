import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import process from "node:process";
import { portOf } from "../support/mirror-server.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";

/** Addresses of the origins that nginx cannot provide. This process writes them to stdout. */
export interface OddPorts {
  /** Accepts connections and never answers. */
  readonly silent: number;
  /** Answers after a delay. */
  readonly slow: number;
}

const slowAfterMs = 300;

async function listen(server: Server): Promise<number> {
  server.listen({ port: 0, host: "0.0.0.0", backlog: 4096 });
  await once(server, "listening");
  return portOf(server);
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
const ports: OddPorts = { silent: await listen(silent), slow: await listen(slow) };
process.stdout.write(`${JSON.stringify(ports)}\n`);
