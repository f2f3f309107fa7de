import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { maxBytes, type StoreOptions } from "../../../src/core/state/store.ts";
import { everything, put } from "../../support/folder.ts";
import { newRemote } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { sentence } from "../../support/command-context.ts";
import { adding, never, openStore, storeOptions, type TextStore } from "../../support/storing.ts";
import { bundled } from "../../support/bundled.ts";

const script = bundled(fileURLToPath(new URL("save-lines.js", import.meta.url)));

function newFile(): string {
  return join(temporaryFolder(), ".mirrorfeed", "state.json");
}

function open(file: string, changes: Partial<StoreOptions> = {}): TextStore {
  return openStore(file, storeOptions(changes));
}

describe.each(["file", "branch"])("a state in a %s", (place) => {
  let store: TextStore;
  /** The folder that contains everything the store writes. */
  let folder: string;

  beforeEach(async () => {
    const remote = await newRemote();
    const file = join(temporaryFolder(), "state.json");
    folder = place === "file" ? dirname(file) : remote;
    store = openStore(place === "file" ? file : "branch:mirrorfeed-state", storeOptions({ remote }));
  });

  test("is not touched by an update that changes nothing, or that fails, and can be stored again", async () => {
    await store.save(() => "one");
    await store.save(() => "two");
    const before = everything(folder);
    await store.save((current) => current ?? "");
    await expect(store.save(never)).rejects.toThrow("The text was asked for.");
    expect(everything(folder)).toEqual(before);
    await store.save(() => "three");
    expect(await store.load()).toBe("three");
  });

  test("of 10 MB is read and stored", async () => {
    const text = "0123456789abcdef".repeat(640 * 1024);
    await store.save(() => text);
    await store.save(adding("."));
    expect(await store.load()).toBe(`${text}.\n`);
  });
});

test("a state in a file comes back as it was stored, with exactly the one before it kept", async () => {
  const file = newFile();
  for (const line of ["one ä\u{1f600}", "two", "three"]) await open(file).save(adding(line));
  expect(await open(file).load()).toBe("one ä\u{1f600}\ntwo\nthree\n");
  expect(readdirSync(dirname(file)).sort()).toEqual(["state.json", "state.json.1"]);
  expect(readFileSync(`${file}.1`, "utf8")).toBe("one ä\u{1f600}\ntwo\n");
});

describe("an unreadable state is never a first run", () => {
  const notPlain = "is not a plain file; name another file with --state.";
  const makeLarge = (file: string): void => {
    put(dirname(file), { "state.json": "" });
    truncateSync(file, maxBytes + 1);
  };
  const makeLink = (file: string): void => {
    symlinkSync("elsewhere", file);
  };
  test.each<[string, (file: string) => unknown, string]>([
    ["too large", makeLarge, "is larger than 128 MiB; name another file with --state."],
    ["a folder", (file) => mkdirSync(file, { recursive: true }), notPlain],
    ["a link, even to nothing", makeLink, notPlain],
  ])("%s", async (_, make, problem) => {
    const file = newFile();
    mkdirSync(dirname(file));
    make(file);
    expect(await sentence(open(file).load())).toBe(`${file} ${problem}`);
    expect(await sentence(open(file).save(never))).toBe(`${file} ${problem}`);
    expect(readdirSync(dirname(file))).toEqual(["state.json"]);
  });

  test("below a file", async () => {
    const file = newFile();
    put(dirname(dirname(file)), { ".mirrorfeed": "a file" });
    const reason = "there is a file where its folder should be; name another file with --state.";
    expect(await sentence(open(file).load())).toBe(`${file} cannot be read: ${reason}`);
    expect(await sentence(open(file).save(never))).toBe(`${file} cannot be stored: ${reason}`);
  });
});

test("six processes that add ten lines each at the same time lose none", async () => {
  const file = newFile();
  const names = Array.from({ length: 6 }, (_, index) => `w${index}`);
  const codes = await Promise.all(
    names.map((name) => once(spawn(process.execPath, [script, file, name], { stdio: "inherit" }), "exit")),
  );
  expect(codes).toEqual(names.map(() => [0, null]));
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const expected = names.flatMap((name) => Array.from({ length: 10 }, (_, turn) => `${name} ${turn + 1}`));
  expect([...lines].sort()).toEqual(expected.sort());
  expect(readdirSync(dirname(file)).sort()).toEqual(["state.json", "state.json.1"]);
});

describe("the lock of another run", () => {
  const id = "01234567-89ab-cdef-0123-456789abcdef";
  const other = id.replace("0", "f");
  const here = hostname().replaceAll(/[^\w-]/g, "_");
  const dead = `${here}.4000001.${id}`;
  const takenOver = `${dead}\n${dead} elsewhere.1.${other}\n${dead} ${here}.4000002.${id}`;
  const processes = { pid: 4_000_000, isAlive: (pid: number) => pid === 4_000_002 };

  function locked(text: string, seconds = 0): string {
    const file = newFile();
    put(dirname(file), { "state.json": "one\n", "state.json.lock": text });
    const then = Date.now() / 1000 - seconds;
    utimesSync(`${file}.lock`, then, then);
    return file;
  }

  test.each([
    ["of a dead process", `${here}.4000001.${id}`, 0],
    ["of an earlier process with the same number", `${here}.4000000.${id}`, 0],
    ["of a live process, after a minute", `${here}.4000002.${id}`, 61],
    ["of another machine, after a minute", `elsewhere.4000001.${id}`, 61],
    ["without an owner", "", 0],
    ["that is not a lock, after a minute", "? é\n\n?", 61],
    ["taken over by a dead one", `${here}.4000002.${id}\n${here}.4000002.${id} ${here}.4000001.${other}`, 0],
    ["whose next owner was too late", `\n${here}.4000001.${id} ${here}.4000002.${other}`, 0],
  ])("is overcome: %s", async (_, text, seconds) => {
    const file = locked(text, seconds);
    await open(file, { processes, timeoutMs: 0 }).save(adding("two"));
    expect(everything(dirname(file))).toEqual({ "state.json": "one\ntwo\n", "state.json.1": "one\n" });
  });

  test.each([
    ["of a live process", `${here}.4000002.${id}`, 59, `process 4000002 on "${here}"`],
    ["of another machine", `elsewhere.4000001.${id}`, 59, 'process 4000001 on "elsewhere"'],
    ["that is not a lock", "?", 59, "another run"],
    ["of a process that took it over, before another live one", takenOver, 0, 'process 1 on "elsewhere"'],
  ])("is waited for, for so long: %s", async (_, text, seconds, whose) => {
    const file = locked(text, seconds);
    expect(await sentence(open(file, { processes, timeoutMs: 100 }).save(never))).toBe(
      `${file}.lock is held by ${whose}; wait until it ends, or remove the file if that run has ended.`,
    );
    expect(everything(dirname(file))).toEqual({ "state.json": "one\n", "state.json.lock": text });
    expect(await open(file).load()).toBe("one\n");
  });

  test("ends the waiting where the person asks to stop", async () => {
    const file = locked(`${here}.4000002.${id}`);
    const interruption = new AbortController();
    const saved = open(file, { processes, interrupt: interruption.signal }).save(never);
    setTimeout(() => {
      interruption.abort(new Interrupted());
    }, 50);
    await expect(saved).rejects.toThrow(Interrupted);
  });

  test("may have taken the lock over: what the other run stored is then updated, not replaced", async () => {
    const file = newFile();
    let calls = 0;
    await open(file).save((current = "") => {
      calls += 1;
      if (calls === 1)
        put(dirname(file), { "state.json": "theirs\n", "state.json.lock": `${here}.4000001.${id}` });
      return `${current}new\n`;
    });
    expect(calls).toBe(2);
    expect(everything(dirname(file))).toEqual({ "state.json": "theirs\nnew\n", "state.json.1": "theirs\n" });
  });
});
