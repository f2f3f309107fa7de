import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { testbed } from "../support/start-testbed.ts";
import { route } from "../../src/core/contract/routing.ts";
import { mountTurning } from "./turning-mirrors.ts";
import { inTurns } from "./turns.ts";
import { type ChildOptions, killAfter, runProgram, startProgram, timeOf } from "../support/child.ts";
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
  type Version,
  versionOf,
} from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const preload = pathToFileURL(join(import.meta.dirname, "die-at-step.js")).href;
const signals = ["SIGKILL", "SIGTERM"] as const;

/**
 * Two states of the folder: before its first build, and before a later build that adds, replaces and removes files and
 * folders.
 */
let starts: readonly [first: Start, later: Start];

beforeAll(async () => {
  const provider = await testbed.startProvider();
  const { urls } = mountTurning(provider, "mirrors", 3);
  const folder = temporaryFolder();
  await observeTwo(folder, urls);
  const empty = temporaryFolder();
  cpSync(folder, empty, { recursive: true });
  await buildFirst(folder);
  starts = [await startIn(empty), await startIn(folder)];
});

/** Checks the site after a build that may have been stopped at any point, and again after the next build. */
async function expectRepair(folder: string, turn: number, { before, after }: Start): Promise<void> {
  expectLegal(folder, [before, after]);
  for (const path of Object.keys(versionOf(folder).site)) {
    if (!path.endsWith(".tmp") && !path.endsWith("/lock")) continue;
    expect(path).toMatch(/^\.mirrorfeed\//);
    expect(route("GET", `/${path}`, () => true)).toEqual({ kind: "error", name: "not-found" });
  }
  // Most builds run in this process, which takes a tenth of the time.
  if (turn % 10 === 0) expect(await runProgram(secondBuild, { folder })).toMatchObject({ code: 0 });
  else await buildSecond(folder);
  expect(versionOf(folder)).toEqual(after);
  const kept = readdirSync(join(folder, ".mirrorfeed"));
  expect(kept.filter((name) => name !== "state.json" && name !== "state.json.1")).toEqual([]);
  if (kept.includes("state.json.1"))
    expect([before.state, after.state]).toContain(
      readFileSync(join(folder, ".mirrorfeed/state.json.1"), "utf8"),
    );
}

test("the versions differ in files, in contents and in the state", () => {
  const [first, later] = starts;
  const only = (one: Version, other: Version): number =>
    Object.keys(one.site).filter((path) => other.site[path] === undefined).length;
  expect(only(later.before, later.after)).toBeGreaterThan(3);
  expect(only(later.after, later.before)).toBeGreaterThan(3);
  expect(new Set([later.before.state, later.after.state, first.after.state]).size).toBe(3);
});

const kills = trials(6, 1000);

test(`a build that is ended at ${kills} random times leaves whole documents, and the next one is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  // This build runs alone. Those below run three at a time, which makes them slower.
  const fullMs = 1.5 * (await inCopyOf(starts[1].folder, (folder) => timeOf(secondBuild, { folder })));
  await inTurns(kills, async (turn) => {
    const from = starts[turn % 4 === 0 ? 0 : 1];
    const [signal, ms] = [random() < 0.5 ? "SIGKILL" : "SIGTERM", random() * fullMs] as const;
    await inCopyOf(from.folder, async (folder) => {
      await killAfter(startProgram(secondBuild, { folder }), ms, signal);
      await expectRepair(folder, turn, from);
    });
  });
});

test(`a build that is ended at ${isLong ? "each" : "some"} of its steps leaves whole documents, and the next one is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  for (const from of starts) {
    const options = (folder: string, step: number, signal: string): ChildOptions => ({
      folder,
      node: ["--import", preload],
      environment: { DIE_STEP: String(step), DIE_SIGNAL: signal },
    });
    const { stderr } = await inCopyOf(from.folder, (folder) =>
      runProgram(secondBuild, options(folder, 0, "")),
    );
    const steps = Number(/^steps: (\d+)$/m.exec(stderr)?.[1]);
    expect(steps).toBeGreaterThan(20);
    const all = Array.from({ length: steps }, (_, index) => index + 1);
    const cases = all
      .filter(() => isLong || random() < trials(3) / steps)
      .flatMap((step) => signals.map((signal) => [step, signal] as const));
    await inTurns(cases.length, async (turn) => {
      const [step, signal] = cases[turn] ?? [1, "SIGKILL"];
      await inCopyOf(from.folder, async (folder) => {
        const child = startProgram(secondBuild, options(folder, step, signal));
        const ended = await killAfter(child, 60_000, signal);
        // At the last step, SIGTERM may come too late to end the build.
        if (signal === "SIGKILL") expect(ended.signal).toBe(signal);
        await expectRepair(folder, turn, from);
      });
    });
  }
});
