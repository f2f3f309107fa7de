import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

/** Resources that a process used from start to end, including child processes it waited for. */
export interface Usage {
  readonly wallMs: number;
  /** User plus system time. */
  readonly cpuMs: number;
  /** Peak memory of the largest process. */
  readonly rssMb: number;
  readonly output: string;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Accepted exit codes (default: 0). */
  readonly exitCodes?: readonly number[];
  /**
   * Only for servers. This function runs while the server is up. Then the server is interrupted, and the function's result
   * replaces the server's output.
   */
  readonly meanwhile?: () => Promise<string>;
}

export function mirrorfeed(...args: readonly string[]): Command {
  return { program: process.execPath, args: [resolve("dist/cli.js"), ...args] };
}

/** Runs a program to its end under GNU time. Throws Error with the program's output if it fails. */
export function measure(command: Command): Promise<Usage> {
  const { program, args, environment, exitCodes = [0], meanwhile } = command;
  return withFolder(async (folder) => {
    const report = join(folder, "usage");
    const started = performance.now();
    const child = spawn("time", ["--quiet", "-f", "%U %S %M", "-o", report, program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      // Node.js would read and parse this file at each start.
      env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...environment },
      detached: meanwhile !== undefined,
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    const learnt = await meanwhile?.();
    // Signals the whole group, because GNU time ignores the signal.
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

export async function times<Value>(count: number, act: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  while (values.length < count) values.push(await act());
  return values;
}

/**
 * Measures two programs in turn, `count` times each. The order alternates, so that other work on the machine slows
 * both equally.
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

/** Calls `act` with a temporary folder, then removes the folder. */
export async function withFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "mirrorfeed-bench-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Finds a program, also among Debian's Nagios plugins. Returns its path, or undefined if it is not installed. */
export function installed(name: string): string | undefined {
  const script = 'PATH="$PATH:/usr/lib/nagios/plugins"; command -v "$1"';
  const found = spawnSync("sh", ["-c", script, "sh", name], { encoding: "utf8" }).stdout.trim();
  return found === "" ? undefined : found;
}
