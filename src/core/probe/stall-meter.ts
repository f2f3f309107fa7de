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
