import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { kill, platform } from "node:process";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Input = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

interface ChildProcessOptions {
  readonly program: string;
  readonly homepage: string;
  readonly parameters: readonly string[];
  readonly environment: Environment;
  /** Standard input. If producing it fails, the program is stopped and the error is thrown. */
  readonly input?: Input | undefined;
  /** When it aborts, the program and its children get SIGTERM, and a second later SIGKILL. */
  readonly signal: AbortSignal;
  readonly silenceMs?: number | undefined;
}

/** `code` is undefined if the program was killed. `errorOutput` is the last 64 KiB. */
export type ChildProcessResult = Readonly<Awaited<ReturnType<typeof runChildProcess>>>;

/** Enough for a state of 128 MiB, and for the little that Git may print with it. */
const maxOutput = 129 * 1024 * 1024;
const maxErrorOutput = 64 * 1024;
const patienceMs = 1000;

/** In its own process group, the child has no terminal to prompt on, and can be stopped with its children. */
const hasGroup = platform !== "win32";

/** Throws the signal's reason if it aborts, InputError if the program is not installed, and any error of `input`. */
export async function runChildProcess(run: ChildProcessOptions) {
  const { program, homepage, parameters, environment, input = "", signal, silenceMs } = run;
  signal.throwIfAborted();
  const child = spawn(program, parameters, { env: environment, detached: hasGroup, windowsHide: true });
  let killedFor: "silence" | "excess" | undefined;
  let forced: NodeJS.Timeout | undefined;
  const end = (reason?: typeof killedFor): void => {
    killedFor ??= reason;
    // SIGTERM comes first, because Git then removes its lock files, including those in a remote on this machine.
    signalGroup(child, "SIGTERM");
    forced ??= setTimeout(signalGroup, patienceMs, child, "SIGKILL");
  };
  const interrupt = (): void => {
    end();
  };
  const silence = silenceMs === undefined ? undefined : setTimeout(end, silenceMs, "silence");
  signal.addEventListener("abort", interrupt);
  // This error is ignored: if a program exits before it has read all its input, its exit code says why.
  child.stdin.on("error", () => undefined);
  const source = Readable.from(input).on("error", interrupt);
  source.pipe(child.stdin);
  const output: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    silence?.refresh();
    size += chunk.length;
    if (size > maxOutput) end("excess");
    else output.push(chunk);
  });
  let errorOutput = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    silence?.refresh();
    errorOutput = (errorOutput + text).slice(-maxErrorOutput);
  });
  try {
    const exit = once(child, "exit").then(() => wait(patienceMs, false, { ref: false }));
    // After the exit, ssh may keep a pipe open for later use.
    const isClosed = await Promise.race([once(child, "close").then(() => true), exit]);
    for (const pipe of child.stdio) pipe?.destroy();
    if (forced !== undefined && !isClosed) signalGroup(child, "SIGKILL");
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw cause;
    throw new InputError(`${program} is required but not on the PATH; install it from ${homepage}.`, {
      cause,
    });
  } finally {
    clearTimeout(silence);
    clearTimeout(forced);
    signal.removeEventListener("abort", interrupt);
    source.destroy();
  }
  if (source.errored !== null) throw source.errored;
  signal.throwIfAborted();
  // If a program exits just before it is killed, its exit code is ignored.
  const code = killedFor === undefined ? (child.exitCode ?? undefined) : undefined;
  return { code, killedFor, output: Buffer.concat(output), errorOutput };
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (!hasGroup) {
    child.kill(name);
    return;
  }
  try {
    kill(-child.pid, name);
  } catch (error) {
    // The group has already exited.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
