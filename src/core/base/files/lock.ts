import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";

/** Tells whether a lock's holder is still alive. Callers pass this in, since only src/cli.ts may use `process`. */
export interface Processes {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
}

export interface LockOptions {
  readonly processes: Processes;
  readonly interrupt: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** Another run can then take the lock, so its holder calls `isHeld` before it changes anything. */
const staleMs = 60_000;
export const touchMs = 10_000;
const retryMs = 50;

/** Several machines or containers may share the folder, and process ids are unique only within one of them. */
const machine = hostname().replaceAll(/[^\w-]/g, "_");
const signature = /^(?<host>[\w-]*)\.(?<pid>\d{1,10})\.[\da-f-]{36}$/;

/** Another lock with the process id of this process was left behind by an earlier one. */
const own = new Set<string>();

/** Waits while a live run holds the lock. Throws InputError after `timeoutMs`, and the reason of `interrupt`. */
export async function takeLock(file: string, options: LockOptions) {
  const { processes, interrupt, timeoutMs = staleMs + 15_000 } = options;
  const candidate = `${machine}.${processes.pid}.${randomUUID()}`;
  const start = performance.now();
  own.add(candidate);
  while (!tryTake(file, candidate, processes)) {
    if (performance.now() - start > timeoutMs) throw heldError(file);
    await pause(retryMs, interrupt);
  }
  const isHeld = (): boolean => readHolder(file) === candidate;
  /** Shows other processes that this one is alive. Call it during long synchronous work, when the timer cannot run. */
  const touch = (): void => {
    try {
      if (isHeld()) utimesSync(file, new Date(), new Date());
    } catch (error) {
      // System errors are ignored: a holder that has lost the lock notices when it next calls `isHeld`.
      if (errorCode(error) === undefined) throw error;
    }
  };
  const touching = setInterval(touch, touchMs).unref();
  const release = (): void => {
    clearInterval(touching);
    own.delete(candidate);
    if (isHeld()) rmSync(file, { force: true });
  };
  return { isHeld, touch, release };
}

export async function pause(ms: number, interrupt: AbortSignal): Promise<void> {
  // Only an interrupt ends it early, with an error that is not the reason.
  await sleep(ms, undefined, { signal: interrupt }).catch(() => undefined);
  interrupt.throwIfAborted();
}

/**
 * Tries to take a lock that is free or stale, by appending the line `HOLDER CANDIDATE` to its file. The line counts
 * only if HOLDER still holds the lock, so the first of several candidates wins. On a network file system, a line can be
 * lost. Its candidate notices when it next calls `isHeld`.
 */
function tryTake(file: string, candidate: string, processes: Processes): boolean {
  const holder = readHolder(file);
  if (holder !== "" && !isStale(file, holder, processes)) return false;
  append(file, `\n${holder} ${candidate}`);
  return readHolder(file) === candidate;
}

/** Fails if the file is a symbolic link. */
function append(file: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666);
  try {
    writeSync(descriptor, text, null, "latin1");
  } catch (error) {
    // If the disk is full, the file may be left empty. It can be removed, since an empty lock has no holder.
    if (fstatSync(descriptor).size === 0) rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns "" if the lock is free, and one of the file's lines if it is not a lock. */
function readHolder(file: string): string {
  try {
    const [first = "", ...entries] = readFileSync(file, "latin1").split("\n");
    return entries.reduce(
      (holder, entry) => (entry.startsWith(`${holder} `) ? entry.slice(holder.length + 1) : holder),
      first,
    );
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return "";
  }
}

function isStale(file: string, holder: string, processes: Processes): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && Date.now() - stats.mtimeMs > staleMs) return true;
  const { host, pid } = signature.exec(holder)?.groups ?? {};
  if (host !== machine) return false;
  // In containers, an earlier process often had the process id that this one has.
  return Number(pid) === processes.pid ? !own.has(holder) : !processes.isAlive(Number(pid));
}

function heldError(file: string): InputError {
  const { host, pid } = signature.exec(readHolder(file))?.groups ?? {};
  const whose = host === undefined ? "another run" : `process ${Number(pid)} on ${quote(host)}`;
  return new InputError(
    `${file} is held by ${whose}; wait until it ends, or remove the file if that run has ended.`,
  );
}
