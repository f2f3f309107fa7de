import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";
import { portOf } from "../../src/testbed/server.ts";

const body = advertise(numberedRefs(2));
const head = `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`;

/** A good answer, as its bytes. */
export const wholeAnswer = Buffer.from(head + body, "latin1");

/** What happens after so many bytes of a good answer: nothing more, the end of the connection, or a reset. */
export const cuts = ["stall", "end", "reset"] as const;

export type Cut = (typeof cuts)[number];

export interface CutServer {
  /** Returns the URL of a mirror that breaks in this way after this many bytes, at any address of 127.0.0.0/8. */
  readonly mirror: (cut: Cut, bytes: number, address?: string) => string;
  readonly close: () => Promise<void>;
}

/** Starts a server whose answers break at the byte that their path says. */
export async function startCutServer(): Promise<CutServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      const [, cut, bytes] = /^GET \/(\w+)\/(\d+)\//.exec(data.toString("latin1")) ?? [];
      socket.write(wholeAnswer.subarray(0, Number(bytes)), () => {
        if (cut === "end") socket.end();
        // Data and reset that arrive together are an orderly end to Node's client.
        if (cut === "reset") setTimeout(() => socket.resetAndDestroy(), 30);
      });
    });
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const port = portOf(server);
  return {
    mirror: (cut, bytes, address = "127.0.0.1") => `http://${address}:${port}/${cut}/${bytes}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
