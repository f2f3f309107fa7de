import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { headId, pktLine } from "../../../support/advertisement.ts";
import { type Case, http, type RawAnswer } from "../../../support/raw-answer.ts";
import { testbed } from "../../../support/start-testbed.ts";

/** The answer to a version 2 client that asks for the refs. */
const lsRefs = http(
  "200 OK",
  ["Content-Type: application/x-git-upload-pack-result"],
  `${pktLine(`${headId} HEAD symref-target:refs/heads/main\n`)}${pktLine(`${headId} refs/heads/main\n`)}0000`,
);

/** Serves each case's exact bytes at its own path, from two origins. Returns the URL of the mirror for a case. */
export async function startRawServer(cases: readonly Case[]): Promise<(index: number) => string> {
  const origins: string[] = [];

  function answer(head: string, port = 0): string | Buffer | RawAnswer {
    const [, method = "", index = "", path = ""] = /^([A-Z]+) \/(\d+)(\S*) /.exec(head) ?? [];
    const found = cases[Number(index)];
    if (found === undefined) throw new Error(`No case is at ${head}`);
    if (method === "POST") return lsRefs;
    const [here = "", elsewhere = ""] = origins
      .toSorted((origin) => (origin.endsWith(`:${port}`) ? -1 : 1))
      .map((origin) => `${origin}/${index}`);
    if (typeof found.answer === "function") return found.answer({ method, path, here, elsewhere });
    // Git requests further files from a server without smart HTTP.
    return path.includes("/info/refs") ? found.answer : http("404 Not Found", []);
  }

  async function reply(socket: Socket, head: string): Promise<void> {
    const made = answer(head, socket.localPort);
    const { parts, then } =
      typeof made === "string" || Buffer.isBuffer(made) ? { parts: [made], then: "end" } : made;
    for (const [place, part] of parts.entries()) {
      if (place > 0) await setTimeout(30);
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    }
    if (then === "end") socket.end();
    if (then === "reset") {
      await setTimeout(60);
      // Waits until a probe in this process has read the last bytes. If the reset arrived together with them, libuv
      // would report it as the end of the connection.
      await setImmediate();
      socket.resetAndDestroy();
    }
  }

  function atConnection(socket: Socket): void {
    let text = "";
    let isAnswered = false;
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (isAnswered || end < 0 || text.length < end + 4 + length) return;
      isAnswered = true;
      void reply(socket, text.slice(0, end));
    });
  }

  for (let count = 0; count < 2; count += 1) origins.push((await testbed.startServer({ atConnection })).url);
  return (index) => `${origins[0] ?? ""}/${index}`;
}
