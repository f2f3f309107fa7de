import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process, { execPath } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Input, runChildProcess } from "../../../../src/core/base/git/child-process.ts";
import { maxBytes } from "../../../../src/core/state/store.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const echo = "process.stdin.pipe(process.stdout)";
const deaf = "process.exitCode = 3";
const waiting = "setInterval(() => undefined, 1000)";

function run(script: string, input?: Input, signal = new AbortController().signal, silenceMs?: number) {
  const parameters = ["--eval", script];
  const program = { program: execPath, homepage: "https://nodejs.org", environment: {} };
  return runChildProcess({ ...program, parameters, input, signal, silenceMs });
}

function* pieces(count: number): Generator<string> {
  for (let number = 0; number < count; number += 1) yield `${number},`.repeat(10_000);
}

test("a program reads all that is made for it, at its own pace", async () => {
  const slowly = "setTimeout(() => process.stdin.pipe(process.stdout), 200)";
  const all = [...pieces(60)].join("");
  for (const script of [echo, slowly]) {
    const { code, output } = await run(script, pieces(60));
    expect(code).toBe(0);
    expect(output.equals(Buffer.from(all))).toBe(true);
  }
});

test("a program that ends before it has read everything tells why by its exit code", async () => {
  expect(await run(deaf, pieces(200))).toMatchObject({ code: 3 });
});

test("may print the largest state and what is around it", async () => {
  const state = `for (let i = 0; i < ${maxBytes >> 20}; i += 1) fs.writeSync(1, Buffer.alloc(1 << 20))`;
  const { code, output } = await run(`fs.writeSync(1, "head"); ${state}`);
  expect({ code, size: output.length }).toEqual({ code: 0, size: maxBytes + "head".length });
});

test("a program that prints without end, or nothing for too long, is ended for it", async () => {
  const endless = "const block = Buffer.alloc(1 << 20); for (;;) fs.writeSync(1, block)";
  expect(await run(endless)).toMatchObject({ code: undefined, killedFor: "excess" });
  const silent = await run(waiting, undefined, undefined, 200);
  expect(silent).toMatchObject({ code: undefined, killedFor: "silence" });
});

test("an error in the making ends the program and is thrown", async () => {
  function* failing(): Generator<string> {
    yield "one";
    throw new RangeError("This was all.");
  }
  await expect(run(waiting, failing())).rejects.toThrow(new RangeError("This was all."));
});

test("an interrupt ends it, however much is still to be read", async () => {
  const controller = new AbortController();
  const outcome = run(waiting, pieces(200), controller.signal).catch((error: unknown) => error);
  await wait(100);
  controller.abort(new Error("Enough."));
  expect(await outcome).toEqual(new Error("Enough."));
});

describe.skipIf(process.platform === "win32")("an interrupted program", () => {
  /** Interrupts a program that runs `action` on SIGTERM, and returns the file that it had made. */
  async function interrupted(action: string): Promise<string> {
    const place = join(temporaryFolder(), "lock");
    const controller = new AbortController();
    const onTermination = `process.on("SIGTERM", () => { ${action} })`;
    const start = `const place = ${JSON.stringify(place)}; ${onTermination}; ${waiting}`;
    const outcome = run(`${start}; fs.writeFileSync(place, "")`, "", controller.signal).catch(
      (error: unknown) => error,
    );
    await expect.poll(() => existsSync(place)).toBe(true);
    controller.abort(new Error("Enough."));
    expect(await outcome).toEqual(new Error("Enough."));
    return place;
  }

  test("removes its files first", async () => {
    expect(existsSync(await interrupted("fs.rmSync(place); process.exit()"))).toBe(false);
  });

  test("that goes on is killed", async () => {
    const place = await interrupted("fs.writeFileSync(place, String(process.pid))");
    const pid = Number(readFileSync(place, "utf8"));
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
