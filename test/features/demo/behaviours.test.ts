import { connect } from "node:net";
import { expect, test } from "vitest";
import { errorCode } from "../../../src/core/base/errors.ts";
import { type Behaviour, type RunningServer, startServer } from "../../../src/features/demo/mirror-server.ts";
import { advertise, numberedRefs } from "../../support/advertisement.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";

const good = advertise(numberedRefs(2));

interface RawAnswer {
  /** The received bytes as Latin-1. */
  readonly text: string;
  /** Whether the server ended the connection (FIN), reset it (RST), or kept it open until the client left. */
  readonly ending: "end" | "reset" | "open";
}

/**
 * Sends a GET and reads until the server ends the connection, or until the bytes or text in `enough` have arrived, but
 * for at most `patienceMs`.
 */
function askRaw(
  port: number,
  { patienceMs = 60_000, enough = Infinity }: { patienceMs?: number; enough?: number | RegExp } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const patience = setTimeout(() => socket.destroy(), patienceMs);
    let text = "";
    let ending: RawAnswer["ending"] = "open";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (typeof enough === "number" ? text.length >= enough : enough.test(text)) socket.destroy();
    });
    socket.on("end", () => {
      ending = "end";
    });
    socket.on("error", (error) => {
      if (errorCode(error) === "ECONNRESET") ending = "reset";
      else reject(error);
    });
    socket.on("close", () => {
      clearTimeout(patience);
      resolve({ text, ending });
    });
    socket.write(`GET /info/refs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  });
}

async function serve(behaviour: Behaviour): Promise<RunningServer> {
  return closeAfterTest(await startServer(behaviour));
}

test("a login page is HTML with status 200, and a status can have headers", async () => {
  const page = await fetch((await serve(misbehaviours.loginPage())).url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain('type="password"');
  const busy = await fetch((await serve(misbehaviours.overloaded(7))).url);
  expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "7"]);
});

test("a moved mirror redirects each path to the same path below the other", async () => {
  const { url } = await serve(misbehaviours.moved("http://127.0.0.1:2/new/"));
  const { status, headers } = await fetch(`${url}/info/refs?a`, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([301, "http://127.0.0.1:2/new/info/refs?a"]);
});

test("slow answers well, after its delay", async () => {
  const { url } = await serve(misbehaviours.slow(150));
  const started = performance.now();
  expect(await (await fetch(url)).text()).toBe(good);
  expect(performance.now() - started).toBeGreaterThan(140);
});

test("silent takes the request and says nothing, an SSH server says something else", async () => {
  const server = await serve(misbehaviours.silent());
  expect(await askRaw(server.port, { patienceMs: 300 })).toEqual({ text: "", ending: "open" });
  expect(server.requests).toBe(1);
  const ssh = await serve(misbehaviours.sshBanner());
  const banner = { text: "SSH-2.0-OpenSSH_9.6\r\n", ending: "open" };
  expect(await askRaw(ssh.port, { enough: /\n$/ })).toEqual(banner);
});

test("flaky resets so many requests and then answers, each for itself", async () => {
  const server = await serve(misbehaviours.flaky(2));
  const endings = [];
  for (let turn = 0; turn < 3; turn += 1)
    endings.push((await askRaw(server.port, { enough: good.length })).ending);
  expect(endings).toEqual(["reset", "reset", "open"]);
  expect((await askRaw((await serve(misbehaviours.flaky(1))).port)).ending).toBe("reset");
});
