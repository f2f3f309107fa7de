import { ProbeFailure } from "../http/failure.ts";

/**
 * Runs a task with a signal that is aborted as a timeout after `timeoutMs`, or before with the reason of `interrupt`.
 * The time is over, and its timer gone, when the task ends.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  interrupt: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  interrupt.throwIfAborted();
  const controller = new AbortController();
  // Not AbortSignal.any: its signals stay in memory as long as the interrupt of the process does.
  const onInterrupt = (): void => {
    controller.abort(interrupt.reason);
  };
  const timer = setTimeout(() => {
    controller.abort(new ProbeFailure("timeout"));
  }, timeoutMs);
  interrupt.addEventListener("abort", onInterrupt);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener("abort", onInterrupt);
  }
}
