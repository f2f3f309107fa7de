import { copyFileSync, cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { testbed } from "../support/start-testbed.ts";
import type { Provider } from "../support/mirror-server.ts";
import { inTurns } from "./turns.ts";
import { killAfter, runProgram, startProgram, timeOf } from "../support/child.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";
import { mountTurning, type TurningMirrors } from "./turning-mirrors.ts";
import {
  buildHere,
  expectLegal,
  inCopyOf,
  runHere,
  type Version,
  versionOf,
  writeConfig,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const targets = ["packages", "search", "snippets"];
/** SIGKILL ends the process immediately; SIGTERM asks it to stop. */
const signalBy = (chance: number) => (chance < 0.5 ? "SIGKILL" : "SIGTERM");

let provider: Provider;
beforeAll(async () => {
  provider = await testbed.startProvider();
});

/**
 * A feed with its own folder and mirrors, after two runs. `versions` has the files that each run left. The mirrors swap
 * roles in each run.
 */
interface Feed {
  readonly folder: string;
  readonly versions: readonly [Version, Version];
  readonly mirrors: TurningMirrors;
}

async function inFeed(place: string, act: (feed: Feed) => Promise<void>): Promise<void> {
  const mirrors = mountTurning(provider, place, targets.length);
  const folder = temporaryFolder();
  try {
    writeConfig(folder, "mirrors.json", targets, mirrors.urls);
    await act({ folder, versions: [await runHere(folder), await runHere(folder)], mirrors });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Makes another run. Then builds a new site from the results of that run and the state before that run, and expects the
 * same files.
 */
async function expectRepair(folder: string, turn: number): Promise<void> {
  await inCopyOf(folder, async (undisturbed) => {
    const next = ["run", "--results", "next.json"];
    if (turn % 5 === 0) expect(await runProgram(next, { folder })).toMatchObject({ code: 0 });
    else await runHere(folder, "next.json");
    rmSync(join(undisturbed, "_site"), { recursive: true, force: true });
    copyFileSync(join(folder, "next.json"), join(undisturbed, "next.json"));
    expect(versionOf(folder)).toEqual(await buildHere(undisturbed, "mirrors.json", "next.json"));
  });
  expect(readdirSync(join(folder, ".mirrorfeed")).sort()).toEqual(["state.json", "state.json.1"]);
}

const runs = trials(6, 600);

test(`a run that is ended at ${runs} random times leaves whole documents, and the next one is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  let fullMs = 0;
  await inFeed("measured", async ({ folder }) => {
    fullMs = await timeOf(["run"], { folder });
  });
  await inTurns(runs, async (turn) => {
    const [signal, chance] = [signalBy(random()), random()] as const;
    const isLate = turn % 2 === 0;
    await inFeed(`run-${turn}`, async ({ folder, versions: [, before], mirrors }) => {
      const original = temporaryFolder();
      cpSync(folder, original, { recursive: true });
      const asked = mirrors.asked(2);
      const child = startProgram(["run", "--results", "killed.json"], { folder });
      if (isLate) await Promise.race([asked, child.ending]);
      await killAfter(child, chance * (isLate ? 0.3 : 1.2) * fullMs, signal);
      const legal = [before];
      if (existsSync(join(folder, "killed.json"))) {
        copyFileSync(join(folder, "killed.json"), join(original, "killed.json"));
        legal.push(await buildHere(original, "mirrors.json", "killed.json"));
      }
      rmSync(original, { recursive: true });
      expectLegal(folder, legal);
      await expectRepair(folder, turn);
    });
  });
});

/**
 * Throws unless a document is complete: either valid JSON, or a text that ends as usual. Any of the runs may have
 * written it.
 */
function expectWhole(path: string, content: string, known: string | undefined): void {
  if (path.endsWith(".json")) {
    JSON.parse(content);
    return;
  }
  const end = -(path.endsWith(".txt") ? 1 : 6);
  if (known !== undefined && content.slice(end) !== known.slice(end))
    throw new Error(`${path} does not end as it should: ${content.slice(-80)}`);
}

const watches = trials(4, 300);

test(`a watch that is ended at ${watches} random times of its runs leaves whole documents, and the next run is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  await inTurns(watches, async (turn) => {
    const [signal, ms] = [signalBy(random()), random() * 150] as const;
    await inFeed(`watch-${turn}`, async ({ folder, versions, mirrors }) => {
      const asked = mirrors.asked(2 + (turn % 2));
      const child = startProgram(["watch", "--interval", "1s"], { folder });
      await Promise.race([asked, child.ending]);
      const ended = await killAfter(child, ms, signal);
      expect(ended.signal, ended.stderr).toBe(signal);
      const { site } = versionOf(folder);
      for (const [path, content] of Object.entries(site)) {
        if (path.startsWith("v1/network/"))
          expect(versions.map((version) => version.site[path])).toContain(content);
        else if (!path.startsWith(".mirrorfeed/")) expectWhole(path, content, versions[0].site[path]);
      }
      await expectRepair(folder, turn);
    });
  });
});
