import { execFileSync } from "node:child_process";
import process from "node:process";
import { gitEnvironment } from "./git.ts";
import type { StoreOptions } from "../../src/state/store.ts";
import { processes } from "./folder.ts";

/** Returns the options of a store as in src/cli.ts, without the user's configuration of Git. */
export function storeOptions(changes: Partial<StoreOptions> = {}): StoreOptions {
  return {
    folder: "/",
    environment: gitEnvironment,
    interrupt: new AbortController().signal,
    random: Math.random,
    processes,
    ...changes,
  };
}

/** Returns an update that adds a line to a text. */
export function adding(line: string): (current: string | undefined) => string {
  return (current = "") => `${current}${line}\n`;
}

/** Throws an error: this update must not be called. */
export function never(): string {
  throw new Error("The text was asked for.");
}

/** Mounts a file system of this size in memory at a folder. Returns a function that unmounts it, or undefined if this
 * user may not mount one. */
export function mountSmall(
  folder: string,
  size: string,
): { readOnly: () => void; undo: () => void } | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const mount = (...parameters: readonly string[]): boolean => {
    try {
      execFileSync("mount", parameters, { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  if (!mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder)) return undefined;
  return {
    readOnly: () => mount("-o", "remount,ro", folder),
    undo: () => execFileSync("umount", ["-l", folder]),
  };
}
