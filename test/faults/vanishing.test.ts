import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { advertisement } from "../../src/demo/advertisement.ts";
import { type Laboratory, startLaboratory } from "../demo/start-laboratory.ts";
import { errorCode } from "../../src/errors.ts";
import { isBegun } from "../../src/site/write.ts";
import { put } from "../site/folder.ts";
import { chances, inTurns } from "./chance.ts";
import { sentenceOf, startProgram } from "./child.ts";
import { isLong, seed, times } from "./tier.ts";
import {
  buildHere,
  expectLegal,
  inCopyOf,
  newFolder,
  observeInto,
  type Version,
  writeConfig,
} from "./versions.ts";

const command = ["build", "--config", "two.json", "--from", "two-results.json"];

let laboratory: Laboratory;
let folder: string;
let before: Version;
let after: Version;

beforeAll(async () => {
  laboratory = await startLaboratory();
  const { url } = await laboratory.startServer(advertisement());
  folder = newFolder();
  writeConfig(folder, "one.json", ["packages", "search"], [url]);
  writeConfig(folder, "two.json", ["packages", "snippets", "repositories"], [url]);
  const fill = (text: string): void => {
    // So many that there is time to interfere.
    const files = Array.from({ length: 400 }, (_, index) => [
      `public/much/${index % 20}/${index}.txt`,
      `${text} ${index}\n`,
    ]);
    put(folder, Object.fromEntries(files) as Record<string, string>);
  };
  fill("one");
  await observeInto(folder, "one.json", "one-results.json");
  await observeInto(folder, "two.json", "two-results.json");
  before = await buildHere(folder, "one.json", "one-results.json");
  fill("two");
  after = await inCopyOf(folder, (copy) => buildHere(copy, "two.json", "two-results.json"));
});
afterAll(async () => {
  await laboratory.close();
});

/** Removes something of a site, and never the manifest alone, without which nobody knows whose the files are. */
function removeSome(out: string, random: () => number): void {
  const paths = Object.keys(before.site);
  const path = paths[Math.floor(random() * paths.length)] ?? "";
  const kind = random();
  const own = existsSync(join(out, ".mirrorfeed")) ? readdirSync(join(out, ".mirrorfeed")) : [];
  const passing = own.filter((name) => name !== "manifest.json").map((name) => `.mirrorfeed/${name}`);
  const chosen =
    kind < 0.02
      ? [""]
      : kind < 0.3
        ? passing
        : kind < 0.6
          ? [dirname(path)].filter((above) => above !== ".mirrorfeed")
          : [path];
  for (const one of chosen) {
    if (one !== ".mirrorfeed/manifest.json") removeOne(join(out, one));
  }
}

/** A folder into which the program writes at that moment stays, with what came. */
function removeOne(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY") throw error;
  }
}

const disturbances = times(5, 150);

test(
  `files and folders that vanish during ${disturbances} builds: what is there is whole, and the next one is right (seed ${seed})`,
  { timeout: 60 * 60_000 },
  async () => {
    const random = chances("vanishing");
    const codes = new Set<number | null>();
    await inTurns(disturbances, async () => {
      await inCopyOf(folder, async (copy) => {
        const out = join(copy, "_site");
        const child = startProgram(command, { folder: copy });
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
            /^_site (cannot be written: its folder cannot be made, or went away|was removed)/,
          );
        expectLegal(copy, [before, after]);
        // Whoever removes the manifest and leaves files has to remove those too.
        if (existsSync(out) && !isBegun(out)) rmSync(out, { recursive: true });
        expect(await buildHere(copy, "two.json", "two-results.json")).toEqual(after);
      });
    });
    // Of a few builds all may be of one kind.
    if (isLong) expect([...codes].sort()).toEqual([0, 2]);
  },
);
