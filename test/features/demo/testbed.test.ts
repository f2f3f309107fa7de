import { once } from "node:events";
import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env as environment } from "node:process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTestbed as start } from "../../../src/features/demo/testbed.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";
import { errorCode, Interrupted } from "../../../src/core/base/errors.ts";
import { gitDescendants, processes } from "../../support/processes.ts";
import { startTestbed } from "../../support/start-testbed.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorfeed-test-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function codeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(() => undefined, errorCode);
}

async function connectTo(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

/** Sends a text and waits until the server ends the connection in any way. */
function endOf(url: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      resolve();
    });
    socket.resume().write(text);
  });
}

/** A busy machine can take longer than Vitest's default of one second to start a process. */
const patience = { timeout: 60_000 };

test("two testbeds have the same object ids, and those of every machine", async () => {
  for (const { repositories } of await Promise.all([startTestbed(), startTestbed()])) {
    const { good, lagging, diverged } = repositories;
    expect([good, lagging, diverged].map(({ head }) => head)).toEqual([
      "eee80ef0b42e4564f8e89705cc9dd23e98cf40be",
      "ccfeb76f670de47174885ee8fae55d1e197c9bce",
      "bb129b952cd9eeb710de3ab01a1cd5161ce527b2",
    ]);
  }
});

test("closing leaves no port, no connection, no child process and no folder", async () => {
  const testbed = await start({ environment, interrupt: new AbortController().signal });
  const hanging = await testbed.startServer(misbehaviours.silent());
  const real = await testbed.startServer(testbed.gitServer(testbed.repositories.good.folder));
  const mute = await testbed.startServer(misbehaviours.silentAtConnection());
  const upload = "Content-Type: application/x-git-upload-pack-request\r\nContent-Length: 100\r\n\r\n0";
  const ends = Promise.all([
    endOf(hanging.url, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    endOf(real.url, `POST /git-upload-pack HTTP/1.1\r\nHost: localhost\r\n${upload}`),
    endOf(mute.url, "Hello?\r\n"),
  ]);
  await vi.waitFor(async () => {
    expect((await gitDescendants()).length).toBeGreaterThanOrEqual(3);
  }, patience);

  const served = new Set((await gitDescendants()).map(({ pid }) => pid));
  // None of these connections would end on its own.
  await Promise.all([testbed.close(), testbed.close()]);
  await ends;
  expect((await processes()).filter(({ pid }) => served.has(pid))).toEqual([]);
  expect(await codeOf(connectTo(real.url))).toBe("ECONNREFUSED");
  expect(await codeOf(connectTo(mute.url))).toBe("ECONNREFUSED");
  expect(await codeOf(access(testbed.folder))).toBe("ENOENT");
  expect(await readdir(folder)).toEqual([]);
});

/** Starts a testbed that finds only the programs in the test's folder. */
function startWithOwnPath(interrupt = new AbortController().signal): ReturnType<typeof start> {
  return start({ environment: { PATH: folder }, interrupt });
}

test("without git there is a sentence with the remedy, and no folder is left", async () => {
  await expect(startWithOwnPath()).rejects.toMatchObject({
    name: "InputError",
    message: "git is required but not on the PATH; install it from https://git-scm.com.",
  });
  expect(await readdir(folder)).toEqual([]);
});

test("nor without git http-backend, which Alpine packs apart", async () => {
  await writeFile(join(folder, "git"), "#!/bin/sh\necho /nowhere\n", { mode: 0o755 });
  await expect(startWithOwnPath()).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringContaining("there is no /nowhere/git-http-backend; install") as string,
  });
  expect(await readdir(folder)).toEqual(["git"]);
});

test("an interrupt ends its git, and no folder is left", async () => {
  await writeFile(join(folder, "git"), "#!/bin/sh\nwhile :; do :; done\n", { mode: 0o755 });
  const interruption = new AbortController();
  const starting = startWithOwnPath(interruption.signal);
  const outcome = starting.catch((error: unknown) => error);
  try {
    await vi.waitFor(async () => {
      expect(await gitDescendants()).toHaveLength(1);
    }, patience);
  } finally {
    // If an expectation above fails, the child process would otherwise run forever.
    interruption.abort(new Interrupted());
  }
  expect(await outcome).toBeInstanceOf(Interrupted);
  expect(await gitDescendants()).toEqual([]);
  expect(await readdir(folder)).toEqual(["git"]);
});
