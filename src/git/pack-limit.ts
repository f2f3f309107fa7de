import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";

const intervalMs = 50;

/**
 * Runs a task that fetches into a repository. Aborts the task's signal and throws `excess` if the task adds more than
 * `maxBytes` to its packs. Git has no option for that, and servers need not support its filters.
 */
export async function withPackLimit<Result>(
  repository: string,
  maxBytes: number,
  excess: Error,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const before = packBytes(repository);
  const check = (): void => {
    if (packBytes(repository) - before > maxBytes) controller.abort(excess);
  };
  const timer = setInterval(check, intervalMs);
  try {
    const result = await task(controller.signal);
    check();
    controller.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Returns the size of a repository's packs in bytes, with those that are being received. */
function packBytes(repository: string): number {
  const folder = join(repository, "objects", "pack");
  let bytes = 0;
  for (const name of names(folder))
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Nothing was received yet.
    if (errorCode(error) !== "ENOENT") throw error;
    return [];
  }
}
