import { describe, expect, test } from "vitest";
import { Interrupted } from "../../../src/base/errors.ts";
import { withDeadline } from "../../../src/base/http/failure.ts";

/** Gives the signal as it is once it is aborted. */
function untilAborted(signal: AbortSignal): Promise<AbortSignal> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(signal);
    });
  });
}

describe("a deadline", () => {
  test("ends as a timeout", async () => {
    const signal = await withDeadline(10, new AbortController().signal, untilAborted);
    expect(signal.reason).toMatchObject({ code: "timeout" });
  });

  test("ends once, with the reason of the interrupt if that comes first", async () => {
    const interrupt = new AbortController();
    const done = withDeadline(60_000, interrupt.signal, untilAborted);
    const reason = new Interrupted();
    interrupt.abort(reason);
    interrupt.abort(new Error("later"));
    expect((await done).reason).toBe(reason);
  });

  test("of a run that was interrupted before starts nothing", async () => {
    const task = withDeadline(60_000, AbortSignal.abort(new Interrupted()), () => Promise.resolve("started"));
    await expect(task).rejects.toThrow(Interrupted);
  });

  test("keeps no process alive once its task has ended or failed", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const { signal } = new AbortController();
    const during = withDeadline(60_000, signal, () => Promise.resolve(timers()));
    await expect(during).resolves.toBe(before + 1);
    await expect(withDeadline(60_000, signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(timers()).toBe(before);
  });

  test("listens to the interrupt no longer than its task takes", async () => {
    const interrupt = new AbortController();
    const signal = await withDeadline(60_000, interrupt.signal, (one) => Promise.resolve(one));
    interrupt.abort(new Interrupted());
    expect(signal.aborted).toBe(false);
  });
});
