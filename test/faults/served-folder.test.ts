import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorDocuments, jsonText } from "../../src/core/contract/contract.ts";
import { ask, open } from "../support/contract/answers.ts";
import { feedDocuments, feedFiles, writeFiles } from "../support/contract/feed.ts";
import { isRoot } from "../support/server-process.ts";
import { type Child, startProgram } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const known = "/v1/network/alpha/main-tools/t1";
const document = feedDocuments.get(`${known.slice(1)}/index.json`)?.toString() ?? "";
const longer = `${document.trimEnd()}${" ".repeat(3000)}\n`;
const unknown = jsonText(errorDocuments.target);
const folder = temporaryFolder("mirrorfeed-served-");
const site = join(folder, "_site");
const place = (path: string): string => join(site, path);

let served: Child;
let url = "";

beforeAll(async () => {
  writeFiles(site, feedFiles);
  writeFiles(site, [
    { path: "index.html", content: "<title>The page</title>" },
    { path: "status/a/index.html", content: "<title>A page</title>" },
  ]);
  served = startProgram(["serve", "--port", "0"], { folder });
  let said = "";
  while (url === "") {
    const [chunk]: unknown[] = await once(served.process.stderr ?? served.process, "data");
    said += String(chunk);
    url = /at (http:\S+)/.exec(said)?.[1] ?? "";
  }
});

afterAll(async () => {
  served.process.kill("SIGTERM");
  // Nothing else is printed. In particular, Node.js does not warn about deprecated calls in a package.
  expect((await served.ending).stderr).toMatch(/^Serving [^\n]+\n$/);
});

async function expectAlive(): Promise<void> {
  expect([served.process.exitCode, served.process.signalCode]).toEqual([null, null]);
  expect((await ask(url, "/v1/network")).status).toBe(200);
}

describe("nothing that happens in its folder ends the preview (a real process)", () => {
  test("targets and pages that come and go under thousands of requests", async () => {
    const target = place(known);
    const steps = [
      () => {
        renameSync(target, `${target}-away`);
      },
      () => {
        renameSync(`${target}-away`, target);
      },
      () => {
        writeFileSync(`${target}.new`, longer);
        renameSync(`${target}.new`, join(target, "index.json"));
      },
      () => {
        unlinkSync(join(target, "index.json"));
      },
      () => {
        mkdirSync(join(target, "index.json"));
      },
      () => {
        rmSync(join(target, "index.json"), { recursive: true });
        writeFileSync(`${target}.new`, document);
        renameSync(`${target}.new`, join(target, "index.json"));
      },
      () => {
        renameSync(place("status"), place("status-away"));
      },
      () => {
        renameSync(place("status-away"), place("status"));
      },
    ];
    const seen = new Set<string>();
    let left = 2000;
    const reader = async (): Promise<void> => {
      while (left-- > 0) {
        const [path, expected] = left % 4 === 0 ? ["/status/a/", pageAnswers] : [known, targetAnswers];
        const { status, headers, body } = await ask(url, path);
        const answer = `${status} ${body.toString()}`;
        expect(expected).toContain(answer);
        expect(headers["content-length"]).toBe(String(body.length));
        seen.add(answer);
      }
    };
    const reading = Promise.all(Array.from({ length: 8 }, reader));
    const reached = (): boolean => left <= 0;
    for (let step = 0; !reached() || step % steps.length !== 0; step += 1) {
      steps[step % steps.length]?.();
      await nextTurn();
    }
    await reading;
    expect(seen.size).toBeGreaterThan(3);
    await expectAlive();
  });

  test("a large file that is cut off while it is sent ends its connection alone", async () => {
    const file = place("large.bin");
    writeFileSync(file, Buffer.alloc(64_000_000));
    const socket = open(url);
    socket.write("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    truncateSync(file, 10);
    socket.resume();
    // The client waits for more data until the server closes the idle connection.
    await new Promise((resolve) => socket.once("close", resolve));
    await expectAlive();
  });

  test("a directory named index.json is not a document", async () => {
    mkdirSync(place("v1/network/alpha/main-tools/odd/index.json"), { recursive: true });
    const { status, body } = await ask(url, "/v1/network/alpha/main-tools/odd");
    expect([status, body.toString()]).toEqual([403, unknown]);
    await expectAlive();
  });

  test("a pipe without a writer delays no request", async () => {
    const pipe = place("v1/network/alpha/main-tools/pipe/index.json");
    mkdirSync(dirname(pipe), { recursive: true });
    execFileSync("mkfifo", [pipe, place("pipe.txt")]);
    expect((await ask(url, "/v1/network/alpha/main-tools/pipe")).status).toBe(403);
    expect((await ask(url, "/pipe.txt")).status).toBe(404);
    await expectAlive();
  });

  test.skipIf(isRoot)("what must not be read is not there (skipped for root, who may read all)", async () => {
    const file = place("v1/network/alpha/main-tools/t1/1/index.json");
    chmodSync(file, 0);
    expect((await ask(url, `${known}/1`)).status).toBe(400);
    chmodSync(file, 0o644);
    await expectAlive();
  });

  test("a text of three gigabytes is sent part by part", async () => {
    const size = 3 * 1024 ** 3;
    const file = openSync(place("huge.txt"), "w");
    ftruncateSync(file, size);
    closeSync(file);
    const { status, headers } = await ask(url, "/huge.txt", { method: "HEAD" });
    expect([status, headers["content-length"]]).toEqual([200, String(size)]);
    const part = await ask(url, "/huge.txt", { headers: { Range: `bytes=${size - 5}-` } });
    expect([part.status, part.body]).toEqual([206, Buffer.alloc(5)]);
    const socket = open(url);
    socket.write("GET /huge.txt HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    socket.destroy();
    unlinkSync(place("huge.txt"));
    await expectAlive();
  });

  test("the whole site that is taken away and put back", async () => {
    renameSync(site, `${site}-away`);
    const gone = await ask(url, known);
    expect([gone.status, gone.body.toString()]).toEqual([403, jsonText(errorDocuments.system)]);
    renameSync(`${site}-away`, site);
    await expectAlive();
  });
});

const targetAnswers = [`200 ${document}`, `200 ${longer}`, `403 ${unknown}`];
const pageAnswers = ["200 <title>A page</title>", `404 ${jsonText(errorDocuments["not-found"])}`];
