import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
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
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { errorDocuments, jsonText } from "../../src/core/contract/contract.ts";
import { ask, open } from "../support/contract/answers.ts";
import { feedDocuments, feedFiles, writeFiles } from "../support/contract/feed.ts";
import { isRoot } from "../support/server-process.ts";
import { startPreview } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const known = "/v1/network/alpha/main-tools/t1";
const document = feedDocuments.get(`${known.slice(1)}/index.json`)?.toString() ?? "";
const longer = `${document.trimEnd()}${" ".repeat(3000)}\n`;
const unknown = jsonText(errorDocuments.target);
const folder = temporaryFolder("mirrorfeed-served-");
const site = join(folder, "_site");
const place = (path: string): string => join(site, path);

let served: Awaited<ReturnType<typeof startPreview>>;
let url: string;

beforeAll(async () => {
  writeFiles(site, feedFiles);
  writeFiles(site, [
    { path: "index.html", content: "<title>The page</title>" },
    { path: "status/a/index.html", content: "<title>A page</title>" },
  ]);
  served = await startPreview(folder);
  ({ url } = served);
});

afterEach(async () => {
  expect([served.process.exitCode, served.process.signalCode]).toEqual([null, null]);
  expect((await ask(url, "/v1/network")).status).toBe(200);
});

afterAll(async () => {
  served.process.kill("SIGTERM");
  // Nothing else is printed. In particular, Node.js does not warn about deprecated calls in a package.
  expect((await served.ending).stderr).toMatch(/^Serving [^\n]+\n$/);
});

/** Starts to download a file, and returns the connection. */
async function download(path: string): Promise<Socket> {
  const socket = open(url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, "data");
  return socket;
}

describe("nothing that happens in its folder ends the preview (a real process)", () => {
  test("targets and pages that come and go under thousands of requests", async () => {
    const [target, pages, file, next] = [
      place(known),
      place("status"),
      place(`${known}/index.json`),
      place("next.json"),
    ];
    const move = (from: string, to: string) => () => {
      renameSync(from, to);
    };
    const replace = (text: string) => () => {
      writeFileSync(next, text);
      renameSync(next, file);
    };
    const remove = (): void => {
      rmSync(file, { recursive: true });
    };
    const steps = [
      ...[move(target, `${target}-away`), move(`${target}-away`, target)],
      ...[replace(longer), remove, () => mkdirSync(file, { recursive: true }), remove, replace(document)],
      ...[move(pages, `${pages}-away`), move(`${pages}-away`, pages)],
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
    for (let step = 0; left > 0 || step % steps.length !== 0; step += 1) {
      steps[step % steps.length]?.();
      await nextTurn();
    }
    await reading;
    expect(seen.size).toBeGreaterThan(3);
  });

  test("a large file that is cut off while it is sent ends its connection alone", async () => {
    const file = place("large.bin");
    writeFileSync(file, Buffer.alloc(64_000_000));
    const socket = await download("/large.bin");
    socket.pause();
    truncateSync(file, 10);
    socket.resume();
    // The client waits for more data until the server closes the idle connection.
    await new Promise((resolve) => socket.once("close", resolve));
  });

  test("a directory or a pipe in place of a document is none, and delays no request", async () => {
    const above = "v1/network/alpha/main-tools";
    mkdirSync(place(`${above}/odd/index.json`), { recursive: true });
    mkdirSync(place(`${above}/pipe`));
    execFileSync("mkfifo", [place(`${above}/pipe/index.json`), place("pipe.txt")]);
    const answers = await Promise.all(["odd", "pipe"].map((name) => ask(url, `/${above}/${name}`)));
    expect(answers.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual([
      `403 ${unknown}`,
      `403 ${unknown}`,
    ]);
    expect((await ask(url, "/pipe.txt")).status).toBe(404);
  });

  test.skipIf(isRoot)("what must not be read is not there (skipped for root, who may read all)", async () => {
    const file = place("v1/network/alpha/main-tools/t1/1/index.json");
    chmodSync(file, 0);
    expect((await ask(url, `${known}/1`)).status).toBe(400);
    chmodSync(file, 0o644);
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
    (await download("/huge.txt")).destroy();
    unlinkSync(place("huge.txt"));
  });

  test("the whole site that is taken away and put back", async () => {
    renameSync(site, `${site}-away`);
    const gone = await ask(url, known);
    expect([gone.status, gone.body.toString()]).toEqual([403, jsonText(errorDocuments.system)]);
    renameSync(`${site}-away`, site);
  });
});

const targetAnswers = [`200 ${document}`, `200 ${longer}`, `403 ${unknown}`];
const pageAnswers = ["200 <title>A page</title>", `404 ${jsonText(errorDocuments["not-found"])}`];
