import { randomUUID } from "node:crypto";
import { closeSync, lstatSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, InputError } from "../errors.ts";
import { quote } from "../quote.ts";

/** What tells a killed run from a live one; passed in, since only src/cli.ts owns the process. */
export interface Processes {
  readonly own: number;
  readonly isAlive: (pid: number) => boolean;
}

/** What a lock needs of its surroundings. */
export interface LockOptions {
  readonly processes: Processes;
  readonly random: () => number;
  readonly interrupt: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** A lock that is held; it may be lost to another run where it was held for longer than a minute. */
export interface Lock {
  readonly isHeld: () => boolean;
  readonly release: () => void;
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly id: string;
}

/** Longer than any save takes; the holder looks once more before it changes anything. */
const staleMs = 60_000;
/** Of a lock that nobody has written his name into, which takes no time unless he was killed. */
const unfinishedMs = 1000;

/** A process number means nothing on another machine or in another container, which may share the folder. */
const machine = hostname().replaceAll(/[^\w-]/g, "_");
const pattern = /^(?<host>[\w-]*)\.(?<pid>\d{1,10})\.(?<id>[\da-f-]{36})$/;

/** The locks of this process: one that bears its number and is none of them is of an earlier process, as in a container. */
const own = new Set<string>();

/**
 * Takes the lock that a file is, by making it; waits while a live run holds it. Throws InputError where that takes too
 * long, the reason of the interrupt where there was one, and the system's errors where the file cannot be made.
 */
export async function takeLock(file: string, options: LockOptions): Promise<Lock> {
  const { processes, random, interrupt, timeoutMs = staleMs + 15_000 } = options;
  const id = randomUUID();
  const start = performance.now();
  while (!make(file, `${machine}.${processes.own}.${id}`)) {
    const holder = readHolder(file);
    if (isStale(file, holder, processes)) {
      rmSync(file, { force: true });
      continue;
    }
    if (performance.now() - start > timeoutMs) {
      const whose = holder === undefined ? "another run" : `process ${holder.pid} on ${quote(holder.host)}`;
      throw new InputError(
        `${file} is held by ${whose}; wait until it ends, or remove the file if there is none.`,
      );
    }
    await pause(20 + random() * 60, interrupt);
  }
  own.add(id);
  const isHeld = (): boolean => readHolder(file)?.id === id;
  const release = (): void => {
    if (isHeld()) rmSync(file, { force: true });
    own.delete(id);
  };
  return { isHeld, release };
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
function readHolder(file: string): Holder | undefined {
  try {
    const { host, pid, id } = pattern.exec(readFileSync(file, "latin1"))?.groups ?? {};
    return host === undefined || pid === undefined || id === undefined
      ? undefined
      : { host, pid: Number(pid), id };
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

function isStale(file: string, holder: Holder | undefined, processes: Processes): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const limit = stats?.size === 0 ? unfinishedMs : staleMs;
  if (stats !== undefined && Date.now() - stats.mtimeMs > limit) return true;
  if (holder?.host !== machine) return false;
  return holder.pid === processes.own ? !own.has(holder.id) : !processes.isAlive(holder.pid);
}
