import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import {
  isFromDeadProcess,
  newSignature,
  type Processes,
  parseSignature,
  type Signature,
  formatSignature,
} from "./signature.ts";

/** What a lock needs from its caller. */
export interface LockOptions {
  readonly processes: Processes;
  readonly random: () => number;
  readonly interrupt: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** A lock that is held. Another run may take it over if this process stops for longer than a minute. */
export interface Lock {
  readonly isHeld: () => boolean;
  /** Shows other processes that this one runs, as a timer does too. For work that lets no timer run. */
  readonly touch: () => void;
  readonly release: () => void;
}

/**
 * A running process touches its lock more often than this. The holder checks its lock again before it changes anything.
 */
const staleMs = 60_000;
export const touchMs = 10_000;
/** For a lock without a signature: its maker was killed between two system calls. */
const unsignedMs = 1000;

/** The locks of this process. A lock with this process number that is not among them is of an earlier process. */
const ownIds = new Set<string>();

/**
 * Takes a lock by creating its file. Waits while a live run holds it. Throws InputError if that takes too long, the
 * reason of the interrupt, or the system's error if the file cannot be created.
 */
export async function takeLock(file: string, options: LockOptions): Promise<Lock> {
  const { processes, random, interrupt, timeoutMs = staleMs + 15_000 } = options;
  const signature = newSignature(processes);
  const start = performance.now();
  ownIds.add(signature.id);
  try {
    while (!tryTake(file, formatSignature(signature), processes)) {
      if (performance.now() - start > timeoutMs) throw heldError(file);
      await pause(20 + random() * 60, interrupt);
    }
  } catch (error) {
    ownIds.delete(signature.id);
    throw error;
  }
  return keepLock(file, signature);
}

/** Waits for a number of milliseconds. Throws the reason of the interrupt. */
export async function pause(ms: number, interrupt: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: interrupt });
  } catch (error) {
    interrupt.throwIfAborted();
    throw error;
  }
}

function keepLock(file: string, { id }: Signature): Lock {
  const isHeld = (): boolean => readHolder(file)?.id === id;
  const touchOwn = (): void => {
    touch(file, isHeld);
  };
  const touching = setInterval(touchOwn, touchMs).unref();
  const release = (): void => {
    clearInterval(touching);
    ownIds.delete(id);
    if (isHeld()) rmSync(file, { force: true });
  };
  return { isHeld, touch: touchOwn, release };
}

/** Shows other processes that the holder runs. If it fails, the holder finds out at its next check. */
function touch(file: string, isHeld: () => boolean): void {
  try {
    if (isHeld()) utimesSync(file, new Date(), new Date());
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/**
 * Creates the lock, or takes it over from a dead holder. Returns false if another process holds it or is taking it
 * over.
 */
function tryTake(file: string, text: string, processes: Processes): boolean {
  if (tryCreate(file, text)) return true;
  const holder = readHolder(file);
  if (!isStale(file, holder, processes)) return false;
  // Several processes may find the lock stale at once. A second lock lets only one of them replace it.
  const right = `${file}.${holder?.id ?? "unsigned"}`;
  if (!tryTake(right, text, processes)) return false;
  const now = readHolder(file);
  if (now?.id === holder?.id && isStale(file, now, processes)) {
    renameSync(right, file);
    return true;
  }
  rmSync(right, { force: true });
  return false;
}

function tryCreate(file: string, text: string): boolean {
  let descriptor;
  try {
    descriptor = openSync(file, "wx");
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
  try {
    writeSync(descriptor, text);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Returns undefined if the lock is gone, has no signature yet, or is not from mirrorfeed. */
function readHolder(file: string): Signature | undefined {
  try {
    return parseSignature(readFileSync(file, "latin1"));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

function isStale(file: string, holder: Signature | undefined, processes: Processes): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const limit = stats?.size === 0 ? unsignedMs : staleMs;
  if (stats !== undefined && Date.now() - stats.mtimeMs > limit) return true;
  return holder !== undefined && isFromDeadProcess(holder, processes, ownIds);
}

function heldError(file: string): InputError {
  const holder = readHolder(file);
  const whose = holder === undefined ? "another run" : `process ${holder.pid} on ${quote(holder.host)}`;
  return new InputError(
    `${file} is held by ${whose}; wait until it ends, or remove the file if there is none.`,
  );
}
