import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { testbed } from "../support/start-testbed.ts";
import { errorCode } from "../../src/core/base/errors.ts";
import { readManifest } from "../../src/core/site/manifest.ts";
import { put } from "../support/folder.ts";
import { inTurns } from "./turns.ts";
import { sentenceOf, startProgram } from "../support/child.ts";
import { isLong, randomNumbers, seed, trials } from "../support/trials.ts";
import {
  buildFirst,
  buildSecond,
  expectLegal,
  inCopyOf,
  observeTwo,
  secondBuild,
  type Start,
  startIn,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let start: Start;

beforeAll(async () => {
  const { url } = await testbed.startServer(advertisement());
  const fill = (text: string): void => {
    // With so many files, a build takes long enough for the test to interfere.
    for (let index = 0; index < 400; index += 1)
      put(folder, { [`public/much/${index % 20}/${index}.txt`]: `${text} ${index}\n` });
  };
  fill("one");
  await observeTwo(folder, [url]);
  await buildFirst(folder);
  fill("two");
  start = await startIn(folder);
});

/** Removes a part of the site, but never just the manifest, which lists the files that mirrorfeed owns. */
function removeSome(out: string, random: () => number): void {
  const paths = Object.keys(start.before.site);
  const path = paths[Math.floor(random() * paths.length)] ?? "";
  const kind = random();
  const own = existsSync(join(out, ".mirrorfeed")) ? readdirSync(join(out, ".mirrorfeed")) : [];
  const passing = own.filter((name) => name !== "manifest.json").map((name) => `.mirrorfeed/${name}`);
  const above = [dirname(path)].filter((one) => one !== ".mirrorfeed");
  const chances = [
    [0.02, [""]],
    [0.3, passing],
    [0.6, above],
    [1, [path]],
  ] as const;
  const [, chosen = []] = chances.find(([chance]) => kind < chance) ?? [];
  for (const one of chosen) {
    if (join(out, one) === join(out, ".")) removeWhole(out);
    else if (one !== ".mirrorfeed/manifest.json") removeOne(join(out, one));
  }
}

/**
 * Removes the folder in one step. If it were removed file by file, the manifest would be gone before the files that it
 * lists.
 */
function removeWhole(out: string): void {
  if (!existsSync(out)) return;
  const aside = mkdtempSync(`${out}-removed-`);
  renameSync(out, join(aside, "_site"));
  removeOne(aside);
}

/** If the program is writing to the folder, the folder stays, with the new files. */
function removeOne(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY") throw error;
  }
}

const disturbances = trials(5, 150);

test(`files and folders that vanish during ${disturbances} builds: what is there is whole, and the next one is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  const codes = new Set<number | null>();
  await inTurns(disturbances, async () => {
    await inCopyOf(folder, async (copy) => {
      const out = join(copy, "_site");
      const child = startProgram(secondBuild, { folder: copy });
      const isEnded = (): boolean => child.process.exitCode !== null || child.process.signalCode !== null;
      while (!isEnded() && !existsSync(join(out, ".mirrorfeed/lock"))) await sleep(1);
      const paceMs = random() * 10;
      while (!isEnded()) {
        removeSome(out, random);
        await sleep(random() * paceMs);
      }
      const ended = await child.ending;
      codes.add(ended.code);
      if (ended.code !== 0)
        expect(sentenceOf(ended)).toMatch(
          /^_site (cannot be written: its folder could not be created|was removed)/,
        );
      expectLegal(copy, [start.before, start.after]);
      // Without the manifest, mirrorfeed would refuse to replace the remaining files, so the test removes them.
      if (existsSync(out) && readManifest(out) === undefined) rmSync(out, { recursive: true });
      expect(await buildSecond(copy)).toEqual(start.after);
    });
  });
  // In a short run, all builds may end the same way.
  if (isLong) expect([...codes].sort()).toEqual([0, 2]);
});
