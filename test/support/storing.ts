import { execFileSync } from "node:child_process";
import process from "node:process";
import { join } from "node:path";
import { git, gitEnvironment } from "./git.ts";
import { InputError } from "../../src/errors.ts";
import type { StoreOptions } from "../../src/state/store.ts";
import { processes } from "./folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What a store needs, as src/cli.ts has it, but for the user's configuration of git. */
export function surroundings(changes: Partial<StoreOptions> = {}): StoreOptions {
  return {
    folder: "/",
    environment: gitEnvironment,
    interrupt: new AbortController().signal,
    random: Math.random,
    processes,
    ...changes,
  };
}

/** The update that adds a line to a text. */
export function adding(line: string): (current: string | undefined) => string {
  return (current = "") => `${current}${line}\n`;
}

/** An update that must not be asked for. */
export function never(): string {
  throw new Error("The text was asked for.");
}

/** The sentence that a store fails with. */
export async function sentence(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("It did not fail.");
}

/** A bare repository without any branch. */
export async function newRemote(): Promise<string> {
  const remote = join(temporaryFolder(), "remote.git");
  await git(["init", "--quiet", "--bare", "--template=", remote]);
  return remote;
}

/** A file system of this size in memory at a folder, until it is undone; undefined where this user may not mount one. */
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
