import { ProbeFailure } from "./failure.ts";

/**
 * Runs a task with a signal. It is aborted after `timeoutMs` with a ProbeFailure of the code timeout, or earlier with the
 * reason of `interrupt`. The timer ends with the task.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  interrupt: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  interrupt.throwIfAborted();
  const controller = new AbortController();
  // AbortSignal.any would keep each signal in memory as long as the interrupt of the process.
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
