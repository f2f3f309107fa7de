import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { kill, platform } from "node:process";
import type { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, InputError } from "./errors.ts";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A text, or what is made piece by piece. */
export type Input = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A program to run as a child process, and what it may cost. */
export interface Run {
  readonly program: string;
  /** Where it is to be had. */
  readonly homepage: string;
  readonly parameters: readonly string[];
  readonly environment: Environment;
  /** What it reads, made as it reads; an error in the making ends it and is thrown. */
  readonly input?: Input | undefined;
  /** Ends the program and whatever it started, at once. */
  readonly signal: AbortSignal;
  /** Ends it too when it printed nothing for so long. */
  readonly silenceMs?: number | undefined;
}

/** How a child process ended. */
export interface Ended {
  /** Undefined where it was killed. */
  readonly code: number | undefined;
  /** Why it was killed, where it was for what it may cost: it was silent for too long, or printed too much. */
  readonly killedFor: "silence" | "excess" | undefined;
  readonly output: Buffer;
  /** The last of what it wrote to stderr. */
  readonly complaint: string;
}

const mostOutput = 128 * 1024 * 1024;
const mostComplaint = 64 * 1024;
const patienceMs = 1000;

/** On POSIX a child leads a group of its own, which is without a terminal to ask on and can be ended as one. */
const hasGroup = platform !== "win32";

/**
 * Runs a program to its end; an exit code is a value. Throws the signal's reason when it is aborted, InputError where
 * the program is not installed, and what was thrown in the making of its input.
 */
export async function runChild(run: Run): Promise<Ended> {
  const { program, homepage, parameters, environment, input = "", signal, silenceMs } = run;
  signal.throwIfAborted();
  const child = spawn(program, parameters, { env: environment, detached: hasGroup, windowsHide: true });
  let killedFor: Ended["killedFor"];
  const end = (reason?: Ended["killedFor"]): void => {
    killedFor ??= reason;
    endGroup(child);
  };
  const interrupt = (): void => {
    end();
  };
  const silence = silenceMs === undefined ? undefined : setTimeout(end, silenceMs, "silence");
  signal.addEventListener("abort", interrupt);
  // A program that ends before it has read everything tells why by its exit code.
  child.stdin.on("error", () => child.stdin.destroy());
  const feeding = feed(child.stdin, typeof input === "string" ? [input] : input);
  feeding.catch(interrupt);
  const output: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    silence?.refresh();
    size += chunk.length;
    if (size > mostOutput) end("excess");
    else output.push(chunk);
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    silence?.refresh();
    complaint = (complaint + text).slice(-mostComplaint);
  });
  try {
    await ended(child);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new InputError(
      `${program} is needed, and there is none on the PATH; install it from ${homepage}.`,
      { cause: error },
    );
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", interrupt);
  }
  await feeding;
  signal.throwIfAborted();
  // It may have ended by itself just before.
  const code = killedFor === undefined ? (child.exitCode ?? undefined) : undefined;
  return { code, killedFor, output: Buffer.concat(output), complaint };
}

async function feed(stdin: Writable, input: Exclude<Input, string>): Promise<void> {
  const closed = new Promise((resolve) => stdin.once("close", resolve));
  for await (const piece of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece))
      await Promise.race([closed, new Promise((resolve) => stdin.once("drain", resolve))]);
  }
  stdin.end();
}

/** ssh may leave a connection open for the next time, which holds our pipe: its program has ended all the same. */
async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit").then(() => wait(patienceMs, undefined, { ref: false }));
  await Promise.race([once(child, "close"), exit]);
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (!hasGroup) {
    child.kill("SIGKILL");
    return;
  }
  try {
    kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It has ended meanwhile.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
