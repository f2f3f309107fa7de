import { asError } from "../base/errors.ts";
import { OutOfDescriptors, ProbeFailure } from "../base/http/failure.ts";
import type { Transport } from "../base/http/transport.ts";
import { type Limits, runAll } from "./schedule.ts";

/** A probe of one mirror or control, or a question to a mirror's server. */
export interface ProbeTask<Seen> {
  readonly id?: number | undefined;
  readonly url: string;
  readonly host: string;
  readonly timeoutMs: number;
  readonly wasSilent?: boolean;
  readonly probe: (signal: AbortSignal, transport: Transport) => Promise<Seen>;
}

export interface PerformerOptions {
  readonly limits: Limits;
  readonly transport: Transport;
  /** The wall clock in epoch milliseconds. */
  readonly now: () => number;
  readonly interrupt: AbortSignal;
  readonly onDone: () => void;
  readonly onError: (task: ProbeTask<unknown>, error: Error) => void;
}

/** A probe then counts as waiting, and another may start. If this were less, a slow prober would start too many. */
const parkedAfterMs = 400;
const silentParkedAfterMs = 100;

const stalledShare = 0.25;

export type Performer = Readonly<ReturnType<typeof openPerformer>>;

/** Performs tasks within their deadlines and the limits of the run. */
export function openPerformer({ limits, transport, now, interrupt, onDone, onError }: PerformerOptions) {
  const stalls = measureStalls(now);
  /** Those of open tasks. An abort signal with a listener for each task would search all of them for each new one. */
  const controllers = new Set<AbortController>();
  const onInterrupt = (): void => {
    for (const controller of controllers) controller.abort(interrupt.reason);
  };
  interrupt.addEventListener("abort", onInterrupt);

  async function perform<Seen>(task: ProbeTask<Seen>, park: () => void) {
    const { timeoutMs, wasSilent = false, probe } = task;
    const parkAfterMs = wasSilent ? silentParkedAfterMs : parkedAfterMs;
    const connections = transport.keepingConnections();
    const controller = new AbortController();
    const parking = setTimeout(park, Math.min(parkAfterMs, timeoutMs / 4));
    const deadline = setTimeout(() => {
      controller.abort(new ProbeFailure("timeout"));
    }, timeoutMs);
    const stalledMs = stalls.totalMs();
    controllers.add(controller);
    try {
      interrupt.throwIfAborted();
      const seen = await probe(controller.signal, connections);
      /** Whether the event loop stalled for a considerable part of the task's time, so that a failure proves nothing. */
      const hasStalled = stalls.totalMs() - stalledMs >= timeoutMs * stalledShare;
      return { task, seen, hasStalled };
    } catch (error) {
      // Says nothing about any mirror, so it ends the run.
      if (error instanceof OutOfDescriptors) throw error;
      interrupt.throwIfAborted();
      onError(task, asError(error));
      return undefined;
    } finally {
      clearTimeout(parking);
      clearTimeout(deadline);
      controllers.delete(controller);
      connections.close();
      onDone();
    }
  }

  return {
    /** Returns results in order, without those of tasks that failed with an internal error. */
    performAll: async <Seen>(tasks: readonly ProbeTask<Seen>[]) => {
      const all = await runAll(tasks, limits, perform<Seen>, ({ wasSilent }) => wasSilent === true);
      return all.filter((one) => one !== undefined);
    },
    close: () => {
      stalls.stop();
      interrupt.removeEventListener("abort", onInterrupt);
    },
  };
}

const tickMs = 100;

/** Shorter delays do not count as stalls. They are common on a busy machine and make no mirror fail. */
const shortestStallMs = 250;

/**
 * Measures how long the event loop stalled: during a long task, or while the process or machine was suspended. After a
 * stall, deadlines fire before Node.js reads the responses that have already arrived. `now` is the wall clock in
 * milliseconds, because Linux's monotonic clock stops while the machine is suspended.
 */
export function measureStalls(now: () => number) {
  let beforeMs = 0;
  let tick = { monotonic: performance.now(), wall: now() };
  /** Returns the stalled time since the start, including a stall just before this turn of the event loop. */
  const totalMs = (): number => {
    const lateMs = Math.max(performance.now() - tick.monotonic, now() - tick.wall) - tickMs;
    return beforeMs + (lateMs < shortestStallMs ? 0 : lateMs);
  };
  const timer = setInterval(() => {
    beforeMs = totalMs();
    tick = { monotonic: performance.now(), wall: now() };
  }, tickMs);
  const stop = (): void => {
    clearInterval(timer);
  };
  return { totalMs, stop };
}
