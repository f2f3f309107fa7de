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
import { errorCode, InputError } from "./errors.ts";
import { quote } from "./quote.ts";
import {
  isOfDead,
  newSignature,
  type Processes,
  readSignature,
  type Signature,
  signatureText,
} from "./signature.ts";

/** What a lock needs of its surroundings. */
export interface LockOptions {
  readonly processes: Processes;
  readonly random: () => number;
  readonly interrupt: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** A lock that is held; it may be lost to another run where this one stood still for longer than a minute. */
export interface Lock {
  readonly isHeld: () => boolean;
  readonly release: () => void;
}

/** Longer than a process that runs leaves its lock untouched; the holder looks once more before it changes anything. */
const staleMs = 60_000;
const touchMs = 10_000;
/** Of a lock that nobody has signed, which takes no time unless he was killed. */
const unsignedMs = 1000;

/** The locks of this process: one that bears its number and is none of them is of an earlier process. */
const own = new Set<string>();

/**
 * Takes the lock that a file is, by making it; waits while a live run holds it. Throws InputError where that takes too
 * long, the reason of the interrupt where there was one, and the system's errors where the file cannot be made.
 */
export async function takeLock(file: string, options: LockOptions): Promise<Lock> {
  const { processes, random, interrupt, timeoutMs = staleMs + 15_000 } = options;
  const signature = newSignature(processes);
  const start = performance.now();
  own.add(signature.id);
  try {
    while (!take(file, signatureText(signature), processes)) {
      if (performance.now() - start > timeoutMs) throw heldSentence(file);
      await pause(20 + random() * 60, interrupt);
    }
  } catch (error) {
    own.delete(signature.id);
    throw error;
  }
  return held(file, signature);
}

/** Waits. Throws the reason of the interrupt where there was one. */
export async function pause(ms: number, interrupt: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: interrupt });
  } catch (error) {
    interrupt.throwIfAborted();
    throw error;
  }
}

function held(file: string, { id }: Signature): Lock {
  const isHeld = (): boolean => readHolder(file)?.id === id;
  const touching = setInterval(() => {
    touch(file, isHeld);
  }, touchMs).unref();
  const release = (): void => {
    clearInterval(touching);
    own.delete(id);
    if (isHeld()) rmSync(file, { force: true });
  };
  return { isHeld, release };
}

/** So that others see that who holds it runs. Where that fails, the holder finds out when it looks once more. */
function touch(file: string, isHeld: () => boolean): void {
  try {
    if (isHeld()) utimesSync(file, new Date(), new Date());
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Makes the lock, or takes it over from who is gone; false where somebody holds it, or is just taking it over. */
function take(file: string, text: string, processes: Processes): boolean {
  if (make(file, text)) return true;
  const holder = readHolder(file);
  if (!isStale(file, holder, processes)) return false;
  // Many see so at once, and who is late must not replace the lock of who was faster: this right goes to one alone.
  const right = `${file}.${holder?.id ?? "unsigned"}`;
  if (!take(right, text, processes)) return false;
  const now = readHolder(file);
  if (now?.id === holder?.id && isStale(file, now, processes)) {
    renameSync(right, file);
    return true;
  }
  rmSync(right, { force: true });
  return false;
}

function make(file: string, text: string): boolean {
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

/** Undefined where the lock is gone, was only just made, or is none of ours. */
function readHolder(file: string): Signature | undefined {
  try {
    return readSignature(readFileSync(file, "latin1"));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

function isStale(file: string, holder: Signature | undefined, processes: Processes): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const limit = stats?.size === 0 ? unsignedMs : staleMs;
  if (stats !== undefined && Date.now() - stats.mtimeMs > limit) return true;
  return holder !== undefined && isOfDead(holder, processes, own);
}

function heldSentence(file: string): InputError {
  const holder = readHolder(file);
  const whose = holder === undefined ? "another run" : `process ${holder.pid} on ${quote(holder.host)}`;
  return new InputError(
    `${file} is held by ${whose}; wait until it ends, or remove the file if there is none.`,
  );
}
