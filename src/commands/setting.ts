import type { Processes } from "../signature.ts";
import type { Terminal } from "./init/questions.ts";

/** 0 done · 1 findings · 2 usage or configuration · 3 the prober is offline · 4 unknown. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** What a command gets from the process, so that it needs none: the clock, the dice, the terminal, the way out. */
export interface Setting {
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
  readonly processes: Processes;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** To stdout: the result of the command. */
  readonly print: (text: string) => void;
  /** To stderr: everything else. */
  readonly tell: (text: string) => void;
  /** Whether stdout shows colours. */
  readonly color: boolean;
  /** Where a person can be asked; undefined where stdin or stdout is no terminal. */
  readonly terminal?: Terminal | undefined;
  /** Shows how far something of this many steps is, where there is a terminal to show it on. */
  readonly progress: (title: string, total: number) => Progress;
}

export interface Progress {
  readonly step: (done: number) => void;
  readonly stop: () => void;
}
