import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { env } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/base/errors.ts";
import { isFinished } from "../../src/site/manifest.ts";
import { writeSite } from "../../src/site/write.ts";
import { everything, pages, processes, published, put, site, writtenSite } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bundled } from "../support/bundled.ts";
import { randomNumbers, trials } from "../support/trials.ts";
import { sites } from "./sites.ts";

const preload = pathToFileURL(join(import.meta.dirname, "../faults/die-at-step.js")).href;
const script = bundled(fileURLToPath(new URL("write-forever.js", import.meta.url)));

const { trees, versions } = sites;

async function startWriter(out: string, name: keyof typeof sites): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, out, name], { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("the writer ended; was it built?"))),
  ]);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  expect(child.exitCode).toBeNull();
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Expects each file to be one of a version. A killed writer may leave an empty folder. Returns all that there is. */
function expectWhole(
  out: string,
  known: readonly Readonly<Record<string, string>>[],
): Readonly<Record<string, string>> {
  const found = existsSync(out) ? everything(out) : {};
  for (const [path, content] of Object.entries(found)) {
    if (content === "/" || path.startsWith(".mirrorfeed")) continue;
    expect(
      known.some((tree) => tree[path] === content),
      `${path} is whole`,
    ).toBe(true);
  }
  return found;
}

const kills = trials(40, 400);

/** Starts a writer that ends itself before a change of the disk, and waits for its end. */
async function writeUntil(step: number, out: string): Promise<void> {
  const child = spawn(process.execPath, ["--import", preload, script, out, "trees"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...env, DIE_STEP: String(step) },
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
}

/** Some three writes of a site, of which the first one makes most folders. */
const maxStep = 1500;

test(`killed before ${kills} changes of the disk, every document is whole and the next write repairs the rest`, async () => {
  const random = randomNumbers();
  const out = join(temporaryFolder(), "_site");
  let unfinished = 0;
  let leftovers = 0;
  for (let turn = 0; turn < kills; turn += 1) {
    if (turn % 4 === 0) rmSync(out, { recursive: true, force: true });
    await writeUntil(1 + Math.floor(random() * maxStep), out);
    const found = expectWhole(out, trees);
    if (existsSync(out) && !isFinished(out)) unfinished += 1;
    if (Object.keys(found).some((path) => path.endsWith(".tmp"))) leftovers += 1;
    const wanted = trees[Math.floor(random() * trees.length)] ?? {};
    writeSite(out, site(wanted), processes);
    const { ".mirrorfeed/manifest.json": manifest, ...rest } = everything(out);
    expect(rest).toEqual(wanted);
    expect(manifest).toContain('"finished":true');
  }
  expect(unfinished).toBeGreaterThan(0);
  expect(leftovers).toBeGreaterThan(0);
});

test("two writers of the same paths do not disturb each other", async () => {
  const out = join(temporaryFolder(), "_site");
  const writers = await Promise.all([startWriter(out, "versions"), startWriter(out, "reversed")]);
  await sleep(700);
  await Promise.all(writers.map(kill));
  expectWhole(out, versions);
  writeSite(out, site(versions[0] ?? {}), processes);
  const paths = Object.keys(versions[0] ?? {});
  expect(Object.keys(everything(out)).sort()).toEqual([".mirrorfeed/manifest.json", ...paths].sort());
});

const id = "01234567-89ab-cdef-0123-456789abcdef";
const here = hostname().replaceAll(/[^\w-]/g, "_");
const [dead, alive] = [4_000_001, 4_000_002];
const leftover = (host: string, pid: number): string => `.mirrorfeed/${host}.${pid}.${id}.tmp`;

describe("the remains of a killed run", () => {
  const fewProcesses = { own: 4_000_000, isAlive: (pid: number) => pid === alive };

  test.each([
    ["of a dead process goes", leftover(here, dead), 0, false],
    ["of an earlier process with the same id goes", leftover(here, fewProcesses.own), 0, false],
    ["of a live process stays", leftover(here, alive), 59, true],
    ["of a live process goes after an hour", leftover(here, alive), 61, false],
    ["of an unknown process stays", leftover(here, 0), 59, true],
    ["of another machine stays", leftover("elsewhere", dead), 59, true],
    ["of another machine goes after an hour", leftover("elsewhere", dead), 61, false],
    ["of another program stays", ".mirrorfeed/state.json", 600, true],
  ])("a temporary file %s", (_, path, minutes, stays) => {
    const out = writtenSite(pages);
    put(out, { [path]: "half a docum" });
    const then = Date.now() / 1000 - minutes * 60;
    utimesSync(join(out, path), then, then);
    writeSite(out, site(pages), fewProcesses);
    expect(path in everything(out)).toBe(stays);
  });

  test("a temporary file goes only after an hour if the live processes are unknown", () => {
    const out = writtenSite(pages);
    put(out, { [leftover(here, dead)]: "" });
    writeSite(out, site(pages));
    expect(everything(out)).toHaveProperty([leftover(here, dead)]);
    utimesSync(join(out, leftover(here, dead)), 0, 0);
    writeSite(out, site(pages));
    expect(Object.keys(everything(out)).filter((path) => path.endsWith(".tmp"))).toEqual([]);
  });

  test("an unfinished write is known as mirrorfeed's", () => {
    const out = join(temporaryFolder(), "_site");
    put(out, {
      "v1/old.json": "old",
      ".mirrorfeed/manifest.json": JSON.stringify({
        schema: 1,
        finished: false,
        found: [],
        files: ["v1/new.json", "v1/old.json"],
      }),
    });
    expect(writeSite(out, site({ "index.html": "x" }))).toEqual({ written: 1, unchanged: 0, removed: 1 });
    expect(everything(out)).toEqual({
      "index.html": "x",
      ".mirrorfeed/manifest.json": '{"schema":1,"finished":true,"found":[],"files":["index.html"]}\n',
    });
  });

  test("a first write that was killed before its manifest starts again", () => {
    const out = join(temporaryFolder(), "_site");
    put(out, { [leftover(here, dead)]: "{" });
    writeSite(out, site(pages), processes);
    expect(Object.keys(everything(out)).sort()).toEqual(
      [".mirrorfeed/manifest.json", ...Object.keys(pages)].sort(),
    );
  });
});

describe("another process at the same time", () => {
  /** Writes a site, and calls `interfere` after the folder is read and before it is first changed. */
  function writeMeanwhile(
    out: string,
    contents: Readonly<Record<string, string>>,
    interfere: () => void,
  ): void {
    put(out, { [leftover(here, alive)]: "" });
    const isAlive = (): boolean => {
      interfere();
      return true;
    };
    writeSite(out, site(contents), { own: process.pid, isAlive });
  }

  test("may have removed what is to be removed", () => {
    const out = writtenSite(pages);
    writeMeanwhile(out, { "index.html": "new" }, () => {
      rmSync(join(out, "v1"), { recursive: true });
    });
    expect(published(out)).toEqual({ "index.html": "new" });
  });

  test("may be in the way: the write fails, leaves whole documents, and the manifest is right", () => {
    const out = writtenSite(pages);
    mkdirSync(join(out, "mine"));
    const wanted = { "mine/a.txt": "a", taken: "t" };
    const write = (): void => {
      writeMeanwhile(out, wanted, () => {
        mkdirSync(join(out, "taken"), { recursive: true });
      });
    };
    expect(write).toThrow(
      new InputError(
        `${out} cannot be written: a folder stands where a file must be; remove it or choose another folder with --out.`,
      ),
    );
    expect(isFinished(out)).toBe(false);
    expect(published(out)).toEqual({ ...pages, "mine/a.txt": "a", taken: "/" });
    expect(JSON.parse(readFileSync(join(out, ".mirrorfeed/manifest.json"), "utf8"))).toMatchObject({
      finished: false,
      found: ["mine"],
      files: [...Object.keys(pages), ...Object.keys(wanted)].sort(),
    });
    rmSync(join(out, "taken"), { recursive: true });
    writeSite(out, []);
    expect(published(out)).toEqual({ mine: "/" });
  });
});
