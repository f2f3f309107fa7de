import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { styleText } from "node:util";
import { serveSite } from "../../src/features/serve/serve.ts";
import { type Command, measure, mirrorfeed, pairs, withFolder } from "./measure.ts";
import { mirrorUrls, type Origins, startOrigins } from "./origins.ts";
import { writeConfig } from "./probe.ts";
import { prepareBuild, siteFeed } from "./site.ts";
import { median } from "./table.ts";
import { formatState } from "../support/stored.ts";

/** What most commands do on most days. */
interface Task {
  readonly what: string;
  readonly command: Command;
  /** How often a try measures it. */
  readonly count: number;
  readonly prepare?: () => Promise<void>;
}

const figures = { CPU: "cpuMs", wall: "wallMs", memory: "rssMb" } as const;
/** CPU, wall and memory, each as a ratio to the yardstick's. */
type Ratios = readonly number[];

const tolerance = 1.15;
const maxTries = 3;
const file = "test/bench/everyday.json";

/** Work of the kind that mirrorfeed does, about a tenth of a second. */
const loop =
  "for (let i = 0; i < 1e5; i++) JSON.parse(JSON.stringify({ id: i, url: `https://${i}`, ok: [i] }))";
const yardstick: Command = { program: process.execPath, args: ["-e", loop] };

/**
 * Measures the everyday tasks and compares them with the recorded figures, or replaces those figures. Returns false if a figure
 * was worse in three tries.
 */
export async function everyday(isWriting: boolean): Promise<boolean> {
  const recorded: Partial<Record<string, Ratios>> = isWriting ? {} : JSON.parse(await readFile(file, "utf8"));
  return withTasks(async (tasks) => {
    const found: Record<string, Ratios> = {};
    let isGood = true;
    for (const task of tasks) {
      const known = recorded[task.what];
      const ratios = known ? await bestOfTries(task, known) : await ratiosOf(task, isWriting ? maxTries : 1);
      found[task.what] = ratios.map((ratio) => Number(ratio.toFixed(2)));
      const worse = known ? Object.keys(figures).filter((_, index) => isWorse(ratios, known, index)) : [];
      if (worse.length > 0) isGood = false;
      process.stdout.write(`${lineOf(task.what, ratios, known, worse)}\n`);
    }
    if (isWriting) await writeFile(file, `${JSON.stringify(found, null, 2)}\n`);
    return isGood;
  });
}

async function ratiosOf({ command, count, prepare }: Task, factor = 1): Promise<Ratios> {
  const measured = await pairs(
    count * factor,
    async () => {
      await prepare?.();
      return measure(command);
    },
    () => measure(yardstick),
  );
  return Object.values(figures).map((figure) =>
    median(measured.map(([own, theirs]) => own[figure] / theirs[figure])),
  );
}

/** Tries again while a figure is worse. Returns the best of each figure. */
async function bestOfTries(task: Task, known: Ratios): Promise<Ratios> {
  let best = await ratiosOf(task);
  for (let tries = 1; tries < maxTries && best.some((_, index) => isWorse(best, known, index)); tries += 1) {
    const again = await ratiosOf(task);
    best = best.map((ratio, index) => Math.min(ratio, again[index] ?? Infinity));
  }
  return best;
}

function isWorse(ratios: Ratios, known: Ratios, index: number): boolean {
  return (ratios[index] ?? 0) > (known[index] ?? Infinity) * tolerance;
}

function lineOf(what: string, ratios: Ratios, known: Ratios | undefined, worse: readonly string[]): string {
  const shown = Object.keys(figures).map((name, index) => {
    const before = known && ` (${known[index]?.toFixed(2)})`;
    return `${name} ${ratios[index]?.toFixed(2)} ×${before ?? ""}`;
  });
  const line = `${what}: ${shown.join(", ")}`;
  return worse.length === 0 ? line : styleText("red", `${line}; worse: ${worse.join(", ")}`);
}

async function withTasks<Result>(act: (tasks: readonly Task[]) => Promise<Result>): Promise<Result> {
  return withFolder(async (folder) => {
    const origins = await startOrigins(folder);
    try {
      const runs = [
        await runOf(2, 5, origins, join(folder, "2")),
        await runOf(44, 5, origins, join(folder, "44")),
        await runOf(1000, 1, origins, join(folder, "1000")),
      ];
      const { url, close } = await serveSite(join(folder, "44", "site"), { port: 0 });
      const environment = { XDG_CACHE_HOME: folder };
      const pick = { ...mirrorfeed("pick", url, "bench/mirrors/t0"), environment };
      try {
        return await act([
          { what: "`--help`", command: mirrorfeed("--help"), count: 7 },
          { what: "`validate`", command: mirrorfeed("validate"), count: 7 },
          { what: "`pick`", command: pick, count: 7 },
          ...runs,
          await buildOf(1000, join(folder, "build")),
        ]);
      } finally {
        await close();
      }
    } finally {
      await origins.close();
    }
  });
}

/** Returns a run in which nothing has changed since the run before it. */
async function runOf(size: number, count: number, origins: Origins, folder: string): Promise<Task> {
  await mkdir(folder);
  const config = await writeConfig(mirrorUrls(size, "good", origins), folder);
  const paths = ["--config", config, "--out", join(folder, "site"), "--state", join(folder, "state.json")];
  const command = mirrorfeed("run", ...paths);
  await measure(command);
  return { what: `\`run\` of ${size.toLocaleString("en")} mirrors`, command, count };
}

async function buildOf(targets: number, folder: string): Promise<Task> {
  await mkdir(folder);
  const { config, after } = siteFeed(targets);
  const { command, out } = await prepareBuild(config, 91, folder);
  const state = after.state && formatState(after.state);
  const prepare = async (): Promise<void> => {
    await rm(out, { recursive: true, force: true });
    await writeFile(join(folder, "state.json"), state ?? "");
  };
  const what = `\`build\` of ${targets.toLocaleString("en")} targets of 4 mirrors and 90 days`;
  return { what, command, count: 1, prepare };
}
