import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

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
  // It is missing until something was received.
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sizes = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
