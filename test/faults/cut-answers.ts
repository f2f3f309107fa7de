import type { Socket } from "node:net";
import { type RunningServer, startServer } from "../../src/testbed/server.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";

const body = advertise(numberedRefs(2));
const head = `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`;

/** A good answer, as its bytes. */
export const wholeAnswer = Buffer.from(head + body, "latin1");

/** What happens after so many bytes of a good answer: nothing more, the end of the connection, or a reset. */
export const cuts = ["stall", "end", "reset"] as const;

/** Starts a server at every address of 127.0.0.0/8, whose answers at `/CUT/BYTES/` break at that byte. */
export function startCutServer(): Promise<RunningServer> {
  const atConnection = (socket: Socket): void => {
    socket.on("data", (data) => {
      const [, cut, bytes] = /^GET \/(\w+)\/(\d+)\//.exec(data.toString("latin1")) ?? [];
      socket.write(wholeAnswer.subarray(0, Number(bytes)), () => {
        if (cut === "end") socket.end();
        // Data and reset that arrive together are an orderly end to Node's client.
        if (cut === "reset") setTimeout(() => socket.resetAndDestroy(), 30);
      });
    });
  };
  return startServer({ atConnection }, { host: "0.0.0.0" });
}
