import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { scratchFolder } from "./scratch.ts";

/** What a process used from its start to its end, with every process it waited for. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time together. */
  readonly cpuMs: number;
  /** The most memory one of its processes had at once. */
  readonly rssMb: number;
  readonly output: string;
}

/** A program, its arguments, and what is added to its environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The exit codes it may end with; only 0 where it names none. */
  readonly exitCodes?: readonly number[];
  /** What is done while it runs, a server; then it is interrupted. */
  readonly meanwhile?: () => Promise<string>;
}

/**
 * Runs a program to its end under GNU time; the output of a server is what was learnt meanwhile. Throws where it
 * fails, with what it said.
 */
export async function measure(command: Command): Promise<Usage> {
  const { program, args, environment, exitCodes = [0], meanwhile } = command;
  const folder = await scratchFolder();
  const report = join(folder, "usage");
  const started = performance.now();
  const child = spawn("time", ["--quiet", "-f", "%U %S %M", "-o", report, program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
    detached: meanwhile !== undefined,
  });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  const learnt = await meanwhile?.();
  // The group, of which GNU time is that ignores it.
  if (meanwhile !== undefined && child.pid !== undefined) process.kill(-child.pid, "SIGINT");
  const [output, errorOutput, [exitCode]] = await ended;
  const wallMs = performance.now() - started;
  const [user, system, kilobytes] = (await readFile(report, "utf8")).trim().split(" ").map(Number);
  await rm(folder, { recursive: true });
  if (exitCode === null || !exitCodes.includes(exitCode)) {
    throw new Error(`${program} ${args.join(" ")} ended with ${exitCode}: ${errorOutput.slice(-2000)}`);
  }
  const cpuMs = ((user ?? NaN) + (system ?? NaN)) * 1000;
  return { wallMs, cpuMs, rssMb: (kilobytes ?? NaN) / 1024, output: learnt ?? output };
}

/**
 * Measures two things in pairs, this many times. The order changes with each pair, so that other work of the machine
 * slows both alike.
 */
export async function pairs<Own, Peer>(
  count: number,
  own: () => Promise<Own>,
  peer: () => Promise<Peer>,
): Promise<(readonly [Own, Peer])[]> {
  const measured: (readonly [Own, Peer])[] = [];
  while (measured.length < count) {
    if (measured.length % 2 === 0) {
      const first = await own();
      measured.push([first, await peer()]);
    } else {
      const first = await peer();
      measured.push([await own(), first]);
    }
  }
  return measured;
}

/** The middle of some measurements, and their ends. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Returns the median and the range of at least one value. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  const [low = NaN, high = NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return { median: (low + high) / 2, lowest: sorted[0] ?? NaN, highest: sorted.at(-1) ?? NaN };
}
