import { gitEnvironment } from "./git.ts";
import type { StoreOptions } from "../../src/core/state/store.ts";
import { processes } from "./folder.ts";

/** Store options as in src/cli.ts, without the user's Git configuration. */
export function storeOptions(changes: Partial<StoreOptions> = {}): StoreOptions {
  return {
    folder: "/",
    environment: gitEnvironment,
    interrupt: new AbortController().signal,
    random: Math.random,
    now: Date.now,
    processes,
    ...changes,
  };
}

export function adding(line: string): (current: string | undefined) => string {
  return (current = "") => `${current}${line}\n`;
}

/** An update that must not be called. */
export function never(): string {
  throw new Error("The text was asked for.");
}
