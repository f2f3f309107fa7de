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

/** Tells a killed run from a live one. It is passed in, since only src/cli.ts uses the process. */
export interface Processes {
  readonly own: number;
  readonly isAlive: (pid: number) => boolean;
}

export interface LockOptions {
  readonly processes: Processes;
  readonly interrupt: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** A lock that is held. Another run may take it over if this process stops for longer than a minute. */
export interface Lock {
  readonly isHeld: () => boolean;
  /** Shows other processes that this one is alive. For work that keeps the timer from doing so. */
  readonly touch: () => void;
  readonly release: () => void;
}

/** A running process touches its lock more often than this, and checks it again before it changes anything. */
const staleMs = 60_000;
export const touchMs = 10_000;
const retryMs = 50;

/** A process number is unique within one machine or container only, and several may share the folder. */
const machine = hostname().replaceAll(/[^\w-]/g, "_");
const signature = /^(?<host>[\w-]*)\.(?<pid>\d{1,10})\.(?<id>[\da-f-]{36})$/;

/** The locks of this process. Any other lock with this process number belongs to an earlier process. */
const ownIds = new Set<string>();

/**
 * Takes a lock, and waits while a live run holds it. Throws InputError if that takes too long, the reason of the
 * interrupt, or the system's error.
 */
export async function takeLock(file: string, options: LockOptions): Promise<Lock> {
  const { processes, interrupt, timeoutMs = staleMs + 15_000 } = options;
  const id = randomUUID();
  const candidate = `${machine}.${processes.own}.${id}`;
  const start = performance.now();
  ownIds.add(id);
  try {
    while (!tryTake(file, candidate, processes)) {
      if (performance.now() - start > timeoutMs) throw heldError(file);
      await pause(retryMs, interrupt);
    }
  } catch (error) {
    ownIds.delete(id);
    throw error;
  }
  const isHeld = (): boolean => readHolder(file) === candidate;
  const touch = (): void => {
    try {
      if (isHeld()) utimesSync(file, new Date(), new Date());
    } catch (error) {
      // The holder finds out at its next check.
      if (errorCode(error) === undefined) throw error;
    }
  };
  const touching = setInterval(touch, touchMs).unref();
  const release = (): void => {
    clearInterval(touching);
    ownIds.delete(id);
    if (isHeld()) rmSync(file, { force: true });
  };
  return { isHeld, touch, release };
}

/** Throws the reason of the interrupt. */
export async function pause(ms: number, interrupt: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: interrupt });
  } catch (error) {
    interrupt.throwIfAborted();
    throw error;
  }
}

/**
 * Takes a lock that is free, or whose holder is dead, by appending a line `HOLDER CANDIDATE`. A line counts only if it
 * names the current holder. So the first candidate wins, and a late line has no effect: the lock has another holder by
 * then, or was released and its file removed. A network file system may lose one of two lines that are written at once.
 * Then the first candidate finds out at its next check.
 */
function tryTake(file: string, candidate: string, processes: Processes): boolean {
  const holder = readHolder(file);
  if (holder !== "" && !isStale(file, holder, processes)) return false;
  append(file, `\n${holder} ${candidate}`);
  return readHolder(file) === candidate;
}

/** Never writes through a link in place of the file. */
function append(file: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666);
  try {
    writeSync(descriptor, text, null, "latin1");
  } catch (error) {
    // A full disk: an empty lock is free, and belongs to no process.
    if (fstatSync(descriptor).size === 0) rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the signature of the holder, empty if the lock is free. For a file that is not a lock, returns a line of it.
 */
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
  const { host, pid, id = "" } = signature.exec(holder)?.groups ?? {};
  if (host !== machine) return false;
  // A new process may have the number of an earlier one, as in a container.
  return Number(pid) === processes.own ? !ownIds.has(id) : !processes.isAlive(Number(pid));
}

function heldError(file: string): InputError {
  const { host, pid } = signature.exec(readHolder(file))?.groups ?? {};
  const whose = host === undefined ? "another run" : `process ${Number(pid)} on ${quote(host)}`;
  return new InputError(
    `${file} is held by ${whose}; wait until it ends, or remove the file if there is none.`,
  );
}
