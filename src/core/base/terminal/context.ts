import type { Processes } from "../files/lock.ts";
import type { Readable, Writable } from "node:stream";
import { debuglog } from "node:util";
import { isoTimestamp } from "../text/timestamp.ts";

/** 0: done, 1: findings, 2: wrong usage or configuration, 3: the prober is offline, 4: no usable feed. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** What a command needs from the process: the clock, randomness, the environment, the terminal. */
export interface CommandContext {
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
  readonly processes: Processes;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes the command's result to stdout. Text from elsewhere cannot control the terminal, but can add lines. */
  readonly output: (text: string) => void;
  /** Writes everything else to stderr. */
  readonly log: (text: string) => void;
  /** For prompts. Undefined unless both stdin and stdout are terminals. */
  readonly terminal?: Terminal | undefined;
  /** Shows progress on a terminal. `nodes` is the number of steps. Leave it out if that number is unknown. */
  readonly progress: (title: string, nodes?: number) => Progress;
}

export interface Progress {
  readonly step: (done: number) => void;
  readonly stop: () => void;
}

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

const maxShown = 20;

/** Logs the first lines and how many it leaves out. `what` names the lines, such as "Warnings". */
export function logSome(what: string, lines: readonly string[], { log }: Pick<CommandContext, "log">): void {
  for (const line of lines.slice(0, maxShown)) log(line);
  if (lines.length > maxShown)
    log(`${what} not shown: ${lines.length - maxShown}; --json lists all of them.`);
}

/** Returns a context that prefixes all output with the time, as in a log. */
export function withTime(context: CommandContext): CommandContext {
  const timed = (write: (text: string) => void) => (text: string) => {
    write(`${isoTimestamp(context.now()).replace(/\.\d+Z$/, "Z")} ${text}`);
  };
  return { ...context, output: timed(context.output), log: timed(context.log) };
}

const debug = debuglog("mirrorfeed");

/** With NODE_DEBUG=mirrorfeed, logs a finished pipeline stage: its counts, and milliseconds since the process began. */
export function logStage(stage: string, counts: Readonly<Record<string, number>>): void {
  if (!debug.enabled) return;
  const words = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  debug(`${Math.round(performance.now())} ms ${stage}: ${words.join(", ")}`);
}
