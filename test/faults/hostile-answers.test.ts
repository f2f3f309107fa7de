import { createServer as createTcpServer } from "node:net";
import { expect, test } from "vitest";
import { listenOnLoopback } from "../support/loopback.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { mirrorsJson, networkAt } from "../support/mirrors-json.ts";
import { peakOf } from "./peak-memory.ts";

const MiB = 1024 * 1024;

/** Probes a mirror for each path. */
function probePaths(url: string, paths: readonly string[], more: object = {}) {
  const network = networkAt(paths.map((path, place) => `${url}${path}?${place}`));
  const probe = { kind: "http", http: { content: { text: "It works." } }, attempts: 1, allowPrivate: true };
  const settings = { ...probe, perHost: 100, timeout: "20s", ...more };
  return peakOf("probe", mirrorsJson(network, { probe: settings }));
}

test.each<[string, hostile: string]>([
  ["heads", ""],
  ["trailers", "transfer-encoding: chunked\r\n\r\n9\r\nIt works.\r\n0\r\n"],
])("%s of short lines without end cost little memory, and no other mirror its evidence", async (_, sent) => {
  const server = createTcpServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (request) => {
        if (request.includes("GET /honest")) socket.end("HTTP/1.1 200 OK\r\n\r\nIt works.");
        else socket.write(`HTTP/1.1 200 OK\r\n${sent}${"a:\r\n".repeat(2_000_000)}`);
      });
  });
  const { url } = closeAfterTest(await listenOnLoopback(server));
  const honest = Array.from({ length: 5 }, () => "/honest");
  const hostile = Array.from({ length: 60 }, () => "/hostile");
  const alone = await probePaths(url, honest);
  const beside = await probePaths(url, [...hostile, ...honest], { maxBytes: 16 * MiB });
  expect(beside.codes).toEqual([...hostile.map(() => "too_large"), ...alone.codes]);
  // Memory grew tenfold when the number of lines was unlimited.
  expect(beside.peak / alone.peak).toBeLessThan(2);
});
