import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { startServer } from "../support/mirror-server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { probeFeed, writeFeed } from "../support/mirror-feed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const [ok, missing] = ["200 OK", "404 Not Found"].map(
  (status) => `HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nno`,
) as [string, string];

let requests = 0;

/**
 * Serves mirrors by number. Those with odd numbers are missing. After each response, the server waits 1 to 20 ms and
 * sends a second response that says the opposite.
 */
function lie(socket: Socket): void {
  socket.on("data", (head) => {
    const [, number = "0"] = /^GET \/(\d+)/.exec(head.toString()) ?? [];
    const answers = Number(number) % 2 === 1 ? [missing, ok] : [ok, missing];
    requests += 1;
    socket.write(answers[0] ?? "");
    const again = (): boolean => socket.writable && socket.write(answers[1] ?? "");
    setTimeout(again, 1 + ((requests * 7) % 20));
  });
}

test("a second answer of a mirror is not the answer of its neighbours at the same host", async () => {
  const folder = temporaryFolder();
  const { port } = closeAfterTest(await startServer({ atConnection: lie }));
  const urls = Array.from({ length: 144 }, (_, index) => `http://127.0.0.1:${port}/${index + 1}`);
  writeFeed(folder, urls, { kind: "http", perHost: 8 });
  for (let round = 0; round < 3; round += 1) {
    const observed = await probeFeed(folder);
    const wrong = observed.filter(({ id, code }) => code !== (id % 2 === 1 ? "http_status" : "ok"));
    expect(wrong).toEqual([]);
  }
});
