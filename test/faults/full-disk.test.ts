import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { describeWith } from "../support/requirement.ts";
import { everything } from "../support/folder.ts";
import { runProgram, sentenceOf } from "../support/child.ts";
import { runInProcess } from "../support/in-process.ts";
import { canMount, mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";
import {
  buildHere,
  expectLegal,
  inCopyOf,
  nothing,
  observeInto,
  runHere,
  type Version,
  versionOf,
  writeConfig,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describeWith("unshare and a mount of one's own", canMount, "a disk that cannot be written", () => {
  let testbed: Testbed;
  let disk: SmallDisk;
  /** Where a build starts from, what is there, and what must be there afterwards. */
  let starts: readonly { readonly folder: string; readonly before: Version; readonly after: Version }[];

  beforeAll(async () => {
    testbed = await startTestbed();
    const { url } = await testbed.startServer(advertisement());
    const folder = temporaryFolder();
    writeConfig(folder, "mirrors.json", ["packages", "search"], [url]);
    writeConfig(folder, "two.json", ["packages", "snippets", "repositories"], [url]);
    await observeInto(folder, "two.json", "two-results.json");
    const empty = temporaryFolder();
    cpSync(folder, empty, { recursive: true });
    const before = await runHere(folder);
    const after = (from: string): Promise<Version> => inCopyOf(from, buildSecond);
    starts = [
      { folder, before, after: await after(folder) },
      { folder: empty, before: nothing, after: await after(empty) },
    ];
    disk = await mountSmallDisk("16m");
  });
  afterAll(async () => {
    await disk.close();
  });

  function buildSecond(folder: string): Promise<Version> {
    return buildHere(folder, "two.json", "two-results.json");
  }

  /** Puts on the disk what stands in the folder of a start. */
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
      // Almost all of what it takes, and a little more: a new site takes more than one in place of another.
      const room = Math.floor(random() * (turn % 2 === 0 ? 12 : 60));
      const empty = disk.fill(turn % 4 < 2 ? { blocks: room } : { files: room });
      const command = ["build", "--config", "two.json", "--results", "two-results.json"];
      // In this process it takes a tenth of the time.
      const ended = await (turn % 4 === 0 ? runProgram : runInProcess)(command, { folder: disk.folder });
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

  test("full before a run writes its results: nothing else changes", async () => {
    const { before } = begin(0);
    const empty = disk.fill({ blocks: 0 });
    const run = () => runInProcess(["run", "--results", "results.json"], { folder: disk.folder });
    const ended = await run();
    expect(sentenceOf(ended)).toBe(
      "results.json cannot be written: the disk is full; free some space and run again.",
    );
    expect(versionOf(disk.folder)).toEqual(before);
    expect(readdirSync(disk.folder)).not.toContain("results.json");
    empty();
    expect(await run()).toMatchObject({ code: 0 });
    JSON.parse(readFileSync(join(disk.folder, "results.json"), "utf8"));
  });

  test("read-only: a run changes nothing, says so in one sentence, and is right when it may write", async () => {
    const { before } = begin(0);
    await disk.remount("ro");
    const run = (...more: readonly string[]) => runInProcess(["run", ...more], { folder: disk.folder });
    try {
      const remedy = "choose another folder with --out";
      expect(sentenceOf(await run())).toBe(
        `_site cannot be written: the file system is read-only; ${remedy}.`,
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
