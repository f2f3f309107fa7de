import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { testbed } from "../support/start-testbed.ts";
import { bundled } from "../support/bundled.ts";
import { inTurns } from "./turns.ts";
import { runProgram, startChild } from "../support/child.ts";
import { seed, trials } from "../support/trials.ts";
import {
  buildHere,
  inCopyOf,
  observeInto,
  type Version,
  versionOf,
  writeConfig,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const rounds = trials(1, 30);

test(`runs at once on one folder, with different files: the site is of the one whose state came last (${rounds} times)`, async () => {
  const { url } = await testbed.startServer(advertisement());
  const folder = temporaryFolder();
  const configs = ["one.json", "two.json", "three.json"];
  const runs: (readonly [config: string, results: string])[] = [];
  for (const [index, config] of configs.entries()) {
    writeConfig(folder, config, ["packages", `only-${index}`, `other-${index}`], [url]);
    for (const results of [`${index}-a.json`, `${index}-b.json`]) {
      await observeInto(folder, config, results);
      runs.push([config, results]);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    await inCopyOf(folder, async (copy) => {
      const parameters = runs.map(([config, results]) => ["build", "--config", config, "--results", results]);
      const endings = await Promise.all(parameters.map((build) => runProgram(build, { folder: copy })));
      expect(endings.map(({ code, stderr }) => [code, stderr.split("\n").length])).toEqual(
        runs.map(() => [0, 2]),
      );
      const version = versionOf(copy);
      // Builds each run's site again from the last state. That state already includes all runs, so none is counted twice.
      const possible: Version[] = [];
      for (const [config, results] of runs)
        possible.push(await inCopyOf(copy, (other) => buildHere(other, config, results)));
      expect(possible).toContainEqual(version);
      expect(readdirSync(join(copy, "_site/.mirrorfeed"))).toEqual(["manifest.json"]);
      expect(readdirSync(join(copy, ".mirrorfeed")).sort()).toEqual(["state.json", "state.json.1"]);
    });
  }
});

const script = bundled(join(import.meta.dirname, "lock-and-die.js"));
const deaths = trials(12, 300);

test(`a lock whose holders die is never held by two (${deaths} deaths, seed ${seed})`, async () => {
  const folder = temporaryFolder();
  await inTurns(deaths, async (turn) => {
    const chance = ((turn * 7919 + seed) % 1000) / 1000;
    const child = startChild(process.execPath, [script, join(folder, "lock"), String(chance)], { folder });
    expect(await child.ending).toMatchObject({ signal: "SIGKILL", stderr: "" });
  });
  const survivor = startChild(process.execPath, [script, join(folder, "lock"), "survive"], { folder });
  expect(await survivor.ending).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(folder)).toEqual([]);
});
