import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

/** What a process used from its start to its end, with every process it waited for. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time together. */
  readonly cpuMs: number;
  /** The most memory one of its processes had at once. */
  readonly rssMb: number;
  readonly output: string;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The exit codes it may end with (default: 0). */
  readonly exitCodes?: readonly number[];
  /** What is done while a server runs, which is then interrupted. Its result is the output. */
  readonly meanwhile?: () => Promise<string>;
}

/** Returns a command of the built program. */
export function mirrorfeed(...args: readonly string[]): Command {
  return { program: process.execPath, args: [resolve("dist/cli.js"), ...args] };
}

/** Runs a program to its end under GNU time. Throws an Error with what it said if it fails. */
export function measure(command: Command): Promise<Usage> {
  const { program, args, environment, exitCodes = [0], meanwhile } = command;
  return withFolder(async (folder) => {
    const report = join(folder, "usage");
    const started = performance.now();
    const child = spawn("time", ["--quiet", "-f", "%U %S %M", "-o", report, program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
      detached: meanwhile !== undefined,
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    const learnt = await meanwhile?.();
    // The whole group: GNU time ignores the signal.
    if (meanwhile !== undefined && child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    const [output, errorOutput] = await ended;
    const wallMs = performance.now() - started;
    const [user = NaN, system = NaN, kilobytes = NaN] = (await readFile(report, "utf8"))
      .trim()
      .split(" ")
      .map(Number);
    if (child.exitCode === null || !exitCodes.includes(child.exitCode))
      throw new Error(`${program} ended with ${child.exitCode}: ${errorOutput.slice(-2000)}`);
    return { wallMs, cpuMs: (user + system) * 1000, rssMb: kilobytes / 1024, output: learnt ?? output };
  });
}

/** Measures something this many times. */
export async function times<Value>(count: number, act: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  while (values.length < count) values.push(await act());
  return values;
}

/**
 * Measures two things in pairs, this many times. The order changes with each pair, so that other work of the machine
 * slows both alike.
 */
export function pairs<Own, Peer>(
  count: number,
  own: () => Promise<Own>,
  peer: () => Promise<Peer>,
): Promise<(readonly [Own, Peer])[]> {
  let isOwnFirst = false;
  return times(count, async () => {
    isOwnFirst = !isOwnFirst;
    const early = isOwnFirst ? await own() : undefined;
    const theirs = await peer();
    return [early ?? (await own()), theirs] as const;
  });
}

/** Runs an action with a folder for temporary files. */
export async function withFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "mirrorfeed-bench-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the path of a program, also of Debian's Nagios plugins, or undefined if it is not installed. */
export function installed(name: string): string | undefined {
  const script = 'PATH="$PATH:/usr/lib/nagios/plugins"; command -v "$1"';
  const found = spawnSync("sh", ["-c", script, "sh", name], { encoding: "utf8" }).stdout.trim();
  return found === "" ? undefined : found;
}
