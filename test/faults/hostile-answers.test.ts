import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { listenOnLoopback } from "../support/loopback.ts";
import { runProgram } from "../support/child.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const observed = z.object({ observations: z.array(z.object({ id: z.number(), code: z.string() })) });
const MiB = 1024 * 1024;

/** Probes a mirror for each path. Returns peak memory in KiB, and the codes. */
async function peakOf(url: string, paths: readonly string[], more: object = {}) {
  const folder = temporaryFolder();
  const network = paths.map((path, place) => ({ id: place + 1, url: `${url}${path}?${place}` }));
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const probe = { kind: "http", http: { content: { text: "It works." } }, attempts: 1, allowPrivate: true };
  const limits = { perHost: 100, timeout: "20s", ...more };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe: { ...probe, ...limits } }));
  const node = ["--import", join(import.meta.dirname, "report-memory.js")];
  const { code, stderr } = await runProgram(["probe", "--results", "results.json"], { folder, node });
  expect(code).toBe(0);
  const results = observed.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
  return { peak: Number(/peak (\d+)/.exec(stderr)?.[1]), codes: results.observations.map((one) => one.code) };
}

test.each<[string, hostile: string, count: number]>([
  ["heads", "", 60],
  ["trailers", "transfer-encoding: chunked\r\n\r\n9\r\nIt works.\r\n0\r\n", 60],
])(
  "%s of short lines without end cost little memory, and no other mirror its evidence",
  async (_, sent, count) => {
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
    const hostile = Array.from({ length: count }, () => "/hostile");
    const alone = await peakOf(url, honest);
    const beside = await peakOf(url, [...hostile, ...honest], { maxBytes: 16 * MiB });
    expect(beside.codes).toEqual([...hostile.map(() => "too_large"), ...alone.codes]);
    // Memory grew tenfold when the number of lines was unlimited.
    expect(beside.peak / alone.peak).toBeLessThan(2);
  },
);

test("the lines of a body are not those of its head, however both come", async () => {
  const body = `It works.${"\n".repeat(5000)}`;
  const parts = [
    ["HTTP/1.1 200 OK\r\nx: y\r\n", `\r\n${body}`],
    [`HTTP/1.1 200 OK\r\n\r\n${body}`],
    ["HTTP/1.1 200 OK\r\n\r", `\n${body}`],
  ];
  const server = createTcpServer((socket) => {
    socket.setNoDelay();
    socket.once("data", (request) => {
      const [first = "", ...rest] = parts[Number(/GET \/(\d)/.exec(request.toString())?.[1])] ?? [];
      socket.write(first, () => setTimeout(() => socket.end(rest.join("")), 20));
    });
  });
  const { url } = closeAfterTest(await listenOnLoopback(server));
  const { codes } = await peakOf(url, ["/0", "/1", "/2"]);
  expect(codes).toEqual(["ok", "ok", "ok"]);
});
