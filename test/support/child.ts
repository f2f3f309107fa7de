import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import { gitEnvironment } from "./git.ts";
import { errorCode } from "../../src/core/base/errors.ts";

/** The built program. */
export const program = join(import.meta.dirname, "../../dist/cli.js");

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Child {
  readonly process: ChildProcess;
  /** Output so far. */
  readonly stdout: () => string;
  /** Output so far. */
  readonly stderr: () => string;
  readonly ending: Promise<ProcessExit>;
}

export interface ChildOptions {
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Options for node itself. */
  readonly node?: readonly string[];
}

/** How long to wait for a process to end after a signal. Usually a fraction of this is enough. */
const patienceMs = 20_000;

export function startProgram(parameters: readonly string[], options: ChildOptions): Child {
  return startChild(process.execPath, [...(options.node ?? []), program, ...parameters], options);
}

/** Returns the tests' environment without proxy and Git settings, plus these variables. */
export function childEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(gitEnvironment).filter(([name]) => !/^https?_proxy$/i.test(name));
  return { ...Object.fromEntries(own), ...more };
}

/** Starts a program without the environment's proxy and Git settings. */
export function startChild(
  command: string,
  parameters: readonly string[],
  { folder, environment }: ChildOptions,
): Child {
  const child = spawn(command, parameters, {
    cwd: folder,
    env: childEnvironment(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // Waits for "exit" instead of "close", because children of a killed process may keep its pipes open for a while.
  const ending = once(child, "exit").then(async () => {
    await Promise.race([once(child, "close"), sleep(50)]);
    return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, ending };
}

export async function runProgram(parameters: readonly string[], options: ChildOptions): Promise<ProcessExit> {
  return startProgram(parameters, options).ending;
}

/** Runs the program to its end, and returns how many milliseconds that took. Throws unless the exit code is 0. */
export async function timeOf(parameters: readonly string[], options: ChildOptions): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await runProgram(parameters, options);
  if (code !== 0) throw new Error(`It ended by ${code}: ${stderr}`);
  return performance.now() - start;
}

/** Starts `mirrorfeed serve`. Returns the process and its URL. */
export async function startPreview(folder: string): Promise<Child & { readonly url: string }> {
  const child = startProgram(["serve", "--port", "0"], { folder });
  const find = (): string | undefined => /http:\S+?(?=\/? .*Ctrl-C)/s.exec(child.stderr())?.[0];
  const url = await vi.waitUntil(find, { timeout: 60_000 });
  return { ...child, url };
}

/** Returns the error message of a process. Throws unless the process exited with code 2 and stderr has only this message. */
export function sentenceOf({ code, stderr }: ProcessExit): string {
  const [, sentence] = /^mirrorfeed: ([^\n]+[.?])\n$/.exec(stderr) ?? [];
  if (code === 2 && sentence !== undefined) return sentence;
  throw new Error(`It ended by ${code}, and not by 2 and a sentence: ${stderr}`);
}

/**
 * Sends a signal after a delay, unless the process has already exited. Throws unless the process ends by that signal or with
 * code 0.
 */
export async function killAfter(child: Child, ms: number, signal: NodeJS.Signals): Promise<ProcessExit> {
  await Promise.race([sleep(ms), child.ending]);
  child.process.kill(signal);
  const ended = await Promise.race([child.ending, sleep(patienceMs, undefined, { ref: false })]);
  if (ended === undefined) {
    child.process.kill("SIGKILL");
    await child.ending;
    throw new Error(`It did not end by ${signal}.`);
  }
  if (ended.signal !== signal && ended.code !== 0)
    throw new Error(`It ended by ${ended.code ?? ended.signal} instead of ${signal}: ${ended.stderr}`);
  return ended;
}

/**
 * Waits until all children of a killed process have exited, and throws if any does not. Finds them in /proc by their TMPDIR.
 * Without /proc, waits a second.
 */
export async function orphansEnded(temporary: string): Promise<void> {
  if (!existsSync("/proc/self/environ")) {
    await sleep(1000);
    return;
  }
  const start = performance.now();
  while (orphans(temporary).length > 0) {
    if (performance.now() - start > patienceMs)
      throw new Error(`Processes ${orphans(temporary).join(", ")} do not end.`);
    await sleep(20);
  }
}

function orphans(temporary: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(`TMPDIR=${temporary}\0`);
    } catch (error) {
      // The process has just exited or belongs to another user.
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  });
}
