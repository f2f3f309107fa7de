const tickMs = 100;

/** Shorter delays do not count as stalls. They are common on a busy machine and make no mirror fail. */
const shortestStallMs = 250;

/**
 * Measures how long the event loop stalled: during a long task, or while the process or machine was suspended. This
 * matters because after a stall, deadlines fire first, before Node.js reads the responses that have already arrived.
 */
export class StallMeter {
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #beforeMs = 0;
  #tick = { monotonic: performance.now(), wall: 0 };

  /**
   * `now` is the wall clock in milliseconds. It is needed because Linux's monotonic clock stops while the machine is
   * suspended.
   */
  constructor(now: () => number) {
    this.#now = now;
    this.#tick.wall = now();
    this.#timer = setInterval(() => {
      this.#beforeMs = this.totalMs();
      this.#tick = { monotonic: performance.now(), wall: now() };
    }, tickMs);
  }

  /** Returns the stalled time since the start, including a stall just before this turn of the event loop. */
  totalMs(): number {
    const { monotonic, wall } = this.#tick;
    const lateMs = Math.max(performance.now() - monotonic, this.#now() - wall) - tickMs;
    return this.#beforeMs + (lateMs < shortestStallMs ? 0 : lateMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
