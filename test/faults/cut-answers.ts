import type { Socket } from "node:net";
import { type RunningServer, startServer } from "../support/mirror-server.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";

const body = advertise(numberedRefs(2));
const head = `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`;

export const wholeAnswer = Buffer.from(head + body, "latin1");

/** What happens after the first bytes of a good response: silence, the end of the connection, or a reset. */
export const cuts = ["stall", "end", "reset"] as const;

/** Starts a server at every address of 127.0.0.0/8. Responses at `/CUT/BYTES/` break after that many bytes. */
export function startCutServer(): Promise<RunningServer> {
  const atConnection = (socket: Socket): void => {
    socket.on("data", (data) => {
      const [, cut, bytes] = /^GET \/(\w+)\/(\d+)\//.exec(data.toString("latin1")) ?? [];
      socket.write(wholeAnswer.subarray(0, Number(bytes)), () => {
        if (cut === "end") socket.end();
        // If data and the reset arrive together, Node.js sees a normal end.
        if (cut === "reset") setTimeout(() => socket.resetAndDestroy(), 30);
      });
    });
  };
  return startServer({ atConnection }, { host: "0.0.0.0" });
}
