import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
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

/** CPU, wall and memory, each as a ratio to the yardstick's. */
type Ratios = readonly [cpu: number, wall: number, memory: number];

const figures = ["CPU", "wall", "memory"] as const;
const tolerance = 1.15;
const maxTries = 3;
const readme = "test/bench/README.md";
const [start, end] = ["<!-- everyday -->\n", "<!-- /everyday -->\n"];

/** Work of the kind that mirrorfeed does, about a tenth of a second. */
const loop =
  "for (let i = 0; i < 1e5; i++) JSON.parse(JSON.stringify({ id: i, url: `https://${i}`, ok: [i] }))";
const yardstick: Command = { program: process.execPath, args: ["-e", loop] };

/**
 * Measures the everyday tasks and compares them with the figures in README.md, or replaces those figures. Returns false
 * if a figure was worse in three tries.
 */
export async function everyday(isWriting: boolean): Promise<boolean> {
  const text = await readFile(readme, "utf8");
  return withTasks(async (tasks) => {
    const lines: (readonly string[])[] = [];
    let isGood = true;
    for (const task of tasks) {
      const known = isWriting ? undefined : recorded(text, task.what);
      const ratios = known ? await bestOfTries(task, known) : await ratiosOf(task, isWriting ? maxTries : 1);
      lines.push([task.what, ...ratios.map((ratio) => `${ratio.toFixed(2)} ×`)]);
      const worse = known ? figures.filter((_, index) => isWorse(ratios, known, index)) : [];
      if (worse.length > 0) isGood = false;
      process.stdout.write(`${lineOf(task.what, ratios, known, worse)}\n`);
    }
    if (isWriting) await writeFile(readme, withFigures(text, lines));
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
  const ratio = (figure: "cpuMs" | "wallMs" | "rssMb"): number =>
    median(measured.map(([own, theirs]) => own[figure] / theirs[figure]));
  return [ratio("cpuMs"), ratio("wallMs"), ratio("rssMb")];
}

/** Tries again while a figure is worse. Returns the best of each figure. */
async function bestOfTries(task: Task, known: Ratios): Promise<Ratios> {
  let best = await ratiosOf(task);
  for (let tries = 1; tries < maxTries && best.some((_, index) => isWorse(best, known, index)); tries += 1) {
    const [cpu, wall, memory] = await ratiosOf(task);
    best = [Math.min(best[0], cpu), Math.min(best[1], wall), Math.min(best[2], memory)];
  }
  return best;
}

function isWorse(ratios: Ratios, known: Ratios, index: number): boolean {
  return (ratios[index] ?? 0) > (known[index] ?? Infinity) * tolerance;
}

function lineOf(what: string, ratios: Ratios, known: Ratios | undefined, worse: readonly string[]): string {
  const shown = figures.map((name, index) => {
    const before = known && ` (${known[index]?.toFixed(2)})`;
    return `${name} ${ratios[index]?.toFixed(2)} ×${before ?? ""}`;
  });
  const line = `${what}: ${shown.join(", ")}`;
  return worse.length === 0 ? line : styleText("red", `${line}; worse: ${worse.join(", ")}`);
}

/** Reads a task's figures from README.md. */
function recorded(text: string, what: string): Ratios | undefined {
  const row = text.split("\n").find((line) => line.startsWith(`| ${what} `)) ?? "";
  const [cpu, wall, memory] = [...row.matchAll(/([\d.]+) ×/g)].map(([, ratio]) => Number(ratio));
  return cpu === undefined || wall === undefined || memory === undefined ? undefined : [cpu, wall, memory];
}

function withFigures(text: string, lines: readonly (readonly string[])[]): string {
  const table = [["what", ...figures], ["", "", "", ""], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const rows = table.map((cells, row) => {
    return cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, row === 1 ? "-" : " "));
  });
  const written = rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  const [before = "", after = ""] = [text.split(start)[0], text.split(end)[1]];
  const day = new Date().toISOString().slice(0, 10);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const title = `Measured on ${day} with Node ${process.versions.node}, at a load average of ${load}:`;
  return `${before}${start}\n${title}\n\n${written}\n${end}${after}`;
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
