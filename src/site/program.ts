import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { kill, platform } from "node:process";
import type { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";

/** Made piece by piece. */
export type Input = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A program to run, and what it may cost. */
export interface Run {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What it reads, made as it reads; an error in the making ends it and is thrown. */
  readonly input?: Input | undefined;
  /** Ends the program and whatever it started, at once. */
  readonly signal: AbortSignal;
  /** Ends it too when it printed nothing for so long. */
  readonly silenceMs?: number | undefined;
}

/** How a program ended: `code` is undefined where it was silent for too long or died of a signal. */
export interface Ended {
  readonly code: number | undefined;
  readonly isSilent: boolean;
  readonly output: Buffer;
  /** The last of what it wrote to stderr. */
  readonly complaint: string;
}

const mostOutput = 128 * 1024 * 1024;
const mostComplaint = 64 * 1024;
const patienceMs = 1000;

/** On POSIX a program leads a group of its own, which is without a terminal to ask on and can be ended as one. */
const hasGroup = platform !== "win32";

/**
 * Runs a program to its end; an exit code is a value. Throws the signal's reason when it is aborted, and InputError
 * where the program is not installed or prints without end.
 */
export async function runProgram(run: Run): Promise<Ended> {
  run.signal.throwIfAborted();
  const child = spawn(run.program, run.parameters, { env: run.environment, detached: hasGroup });
  const output: Buffer[] = [];
  let size = 0;
  let complaint = "";
  let isSilent = false;
  const end = (): void => {
    endGroup(child);
  };
  const silence =
    run.silenceMs === undefined
      ? undefined
      : setTimeout(() => {
          isSilent = true;
          end();
        }, run.silenceMs);
  run.signal.addEventListener("abort", end);
  // A program that ends before it has read everything tells why by its exit code.
  child.stdin.on("error", () => child.stdin.destroy());
  const feeding = feed(child.stdin, run.input ?? []);
  feeding.catch(end);
  child.stdout.on("data", (chunk: Buffer) => {
    silence?.refresh();
    size += chunk.length;
    if (size > mostOutput) end();
    else output.push(chunk);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    silence?.refresh();
    complaint = (complaint + text).slice(-mostComplaint);
  });
  try {
    await ended(child);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new InputError(`${run.program} is needed, and there is none on the PATH; install it.`, {
      cause: error,
    });
  } finally {
    clearTimeout(silence);
    run.signal.removeEventListener("abort", end);
  }
  await feeding;
  run.signal.throwIfAborted();
  if (size > mostOutput) throw new InputError(`${run.program} printed more than can be true and was ended.`);
  return { code: child.exitCode ?? undefined, isSilent, output: Buffer.concat(output), complaint };
}

async function feed(stdin: Writable, input: Input): Promise<void> {
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
