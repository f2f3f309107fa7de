import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { startServer } from "../support/mirror-server.ts";
import { closeAfterFile } from "../support/close-after-test.ts";
import { describeWith } from "../support/requirement.ts";
import { everything } from "../support/folder.ts";
import { runProgram, sentenceOf } from "../support/child.ts";
import { runInProcess } from "../support/in-process.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";
import {
  buildFirst,
  buildSecond,
  expectLegal,
  observeTwo,
  secondBuild,
  type Start,
  startIn,
  versionOf,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isRoot = process.getuid?.() === 0;
/** Options for a private mount namespace. Users other than root also need a user namespace. */
const unshare = ["--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];

/** Whether this user can mount a file system that only its own processes see. */
const canMount =
  process.platform === "linux" &&
  spawnSync("unshare", [...unshare, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status ===
    0;

describeWith("unshare and a mount of one's own", canMount, "a disk that cannot be written", () => {
  let disk: Awaited<ReturnType<typeof mountSmallDisk>>;
  let starts: readonly Start[];

  beforeAll(async () => {
    const { url } = closeAfterFile(await startServer(advertisement()));
    const folder = temporaryFolder();
    await observeTwo(folder, [url]);
    const empty = temporaryFolder();
    cpSync(folder, empty, { recursive: true });
    await buildFirst(folder);
    starts = [await startIn(folder), await startIn(empty)];
    disk = await mountSmallDisk();
  });
  /** Empties the disk and copies a starting point to it. */
  function begin(number: number) {
    const start = starts[number % starts.length];
    if (start === undefined) throw new Error("There is no start.");
    for (const name of readdirSync(disk.folder))
      rmSync(join(disk.folder, name), { recursive: true, force: true });
    cpSync(start.folder, disk.folder, { recursive: true });
    return start;
  }

  const fillings = trials(8, 150);

  test(`full at ${fillings} random times of a build: all is whole, and the next build with space repairs it (seed ${seed})`, async () => {
    const random = randomNumbers();
    let refusals = 0;
    for (let turn = 0; turn < fillings; turn += 1) {
      const { before, after } = begin(turn);
      // The free room varies from none to slightly more than enough. A first build needs more room than a later one.
      const room = Math.floor(random() * (turn % 2 === 0 ? 12 : 60));
      const empty = disk.fill(turn % 4 < 2 ? { blocks: room } : { files: room });
      // Most builds run in this process, which takes a tenth of the time.
      const ended = await (turn % 4 === 0 ? runProgram : runInProcess)(secondBuild, { folder: disk.folder });
      if (ended.code !== 0) {
        refusals += 1;
        expect(sentenceOf(ended)).toMatch(
          /^(_site|\.mirrorfeed\/state\.json) cannot be (written|stored): the disk is full; free some space and run again\.$/,
        );
      }
      expectLegal(disk.folder, [before, after]);
      expect(Object.keys(everything(disk.folder)).filter((path) => /\.tmp$|lock/.test(path))).toEqual([]);
      empty();
      expect(await buildSecond(disk.folder)).toEqual(after);
    }
    expect(refusals).toBeGreaterThan(fillings / 4);
  });

  test("read-only: a run changes nothing, says so in one sentence, and is right when it may write", async () => {
    const { before } = begin(0);
    await disk.remount("ro");
    const run = (...more: readonly string[]) =>
      runInProcess(["run", "--config", "one.json", ...more], { folder: disk.folder });
    try {
      const readOnly = "the file system is read-only";
      expect(sentenceOf(await run())).toBe(
        `_site cannot be written: ${readOnly}; choose another folder with --out.`,
      );
      expect(sentenceOf(await run("--out", "new"))).toMatch(/^new cannot be written: /);
      expect(sentenceOf(await run("--out", join(temporaryFolder(), "_site")))).toBe(
        ".mirrorfeed/state.json cannot be stored: the file system is read-only; name another file with --state.",
      );
      expect(versionOf(disk.folder)).toEqual(before);
    } finally {
      await disk.remount("rw");
    }
    expect(await run()).toMatchObject({ code: 0 });
  });
});

/**
 * Mounts a 16 MB in-memory file system that only this test file sees. It stays until all tests in the file are done.
 */
async function mountSmallDisk() {
  const place = temporaryFolder();
  const shell = spawn("unshare", [...unshare, "sh", "-e"], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(shell, "exit").then(() => Promise.reject(new Error("The mount failed.")));
  const log = async (command: string): Promise<void> => {
    shell.stdin.write(`${command}\necho done\n`);
    await Promise.race([once(shell.stdout, "data"), exit]);
  };
  exit.catch(() => undefined);
  await log(`mount -t tmpfs -o size=16m,nr_inodes=1000,mode=755 tmpfs ${place}`);
  // Only the shell's process sees the mount. Other processes find it below the shell's root folder (proc(5)).
  const folder = `/proc/${shell.pid}/root${place}`;
  /** Fills the disk until there is room for only this many blocks or files. Returns a function that frees the space. */
  const fill = (room: { readonly blocks: number } | { readonly files: number }): (() => void) => {
    const { bavail, bsize, ffree } = statfsSync(folder);
    const isFull = "blocks" in room;
    const count = isFull ? 1 : Math.max(0, ffree - room.files);
    const content = Buffer.alloc(isFull ? Math.max(0, bavail - room.blocks) * bsize : 0);
    const fillers = Array.from({ length: count }, (_, index) => join(folder, `filler-${index}`));
    for (const filler of fillers) writeFileSync(filler, content);
    return () => {
      for (const filler of fillers) rmSync(filler);
    };
  };
  closeAfterFile({
    close: async () => {
      const ended = once(shell, "exit");
      shell.stdin.end();
      await ended;
    },
  });
  const remount = (options: "ro" | "rw"): Promise<void> => log(`mount -o remount,${options} ${place}`);
  return { folder, fill, remount };
}
